import type { RepriseClient } from "reprise-sdk";
import { runParams } from "#cli/run-address";
import { localPathsIn } from "#workflow/specification/declared-paths";

/**
 * Returns the files and folders that the specification of a workflow declares as `inputs` or as
 * `outputs`, without inputs that the server fetches.
 */
export async function fetchDeclaredPaths(
  client: RepriseClient,
  run: string,
  part: "inputs" | "outputs",
): Promise<string[]> {
  const { data } = await client.GET("/api/workflows/{workflow_id_or_name}/specification", {
    params: runParams(run),
  });
  return localPathsIn((data!.specification as Readonly<Record<string, unknown>>)[part]);
}
