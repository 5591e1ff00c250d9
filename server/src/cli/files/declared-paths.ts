import type { RepriseClient } from "reprise-sdk";
import { of } from "#cli/runs/run-address";

/** Returns the files and folders that the specification of a workflow declares as `inputs` or as `outputs`. */
export async function declaredPaths(
  client: RepriseClient,
  run: string,
  part: "inputs" | "outputs",
): Promise<string[]> {
  const { data } = await client.GET("/api/workflows/{workflow_id_or_name}/specification", {
    params: of(run),
  });
  const declared = (data!.specification as Readonly<Record<string, unknown>>)[part];
  const { files, directories } = (declared ?? {}) as { files?: unknown; directories?: unknown };
  return [...textsOf(files), ...textsOf(directories)];
}

function textsOf(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((item): item is string => typeof item === "string") : [];
}
