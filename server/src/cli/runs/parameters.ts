import type { RepriseClient } from "reprise-sdk";
import { type Call, optionsOf } from "#cli/call";
import { of } from "#cli/runs/run-address";
import { readParameters } from "#workflow/given-parameters";

/** Returns the values of `--param name=value`, converted to the types that the specification declares. */
export async function parametersOf(
  client: RepriseClient,
  run: string,
  call: Call,
): Promise<Record<string, unknown>> {
  const given = optionsOf(call, "param");
  if (given.length === 0) return {};
  const { data } = await client.GET("/api/workflows/{workflow_id_or_name}/parameters", {
    params: of(run),
  });
  return readParameters(given, data!.parameters);
}
