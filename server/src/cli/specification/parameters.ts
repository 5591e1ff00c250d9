import type { RepriseClient } from "reprise-sdk";
import { type Call, optionOf, optionsOf } from "#cli/call";
import { runParams } from "#cli/run-address";
import { readParameters } from "#workflow/run/given-parameters";

/** Returns the parameters and options of a start, as the API takes them. */
export async function startValues(client: RepriseClient, run: string, call: Call) {
  const onFailure = optionOf(call, "onFailure");
  const keep = optionOf(call, "keep");
  const options = {
    ...(onFailure !== undefined && { on_failure: onFailure }),
    ...(keep !== undefined && { keep }),
  };
  return {
    input_parameters: await parametersOf(client, run, call),
    ...(call.flags("fresh") && { fresh: true }),
    ...(Object.keys(options).length > 0 && { operational_options: options }),
  };
}

/** Returns the values of `--param name=value`, converted to the types that the specification declares. */
async function parametersOf(
  client: RepriseClient,
  run: string,
  call: Call,
): Promise<Record<string, unknown>> {
  const given = optionsOf(call, "param");
  if (given.length === 0) return {};
  const { data } = await client.GET("/api/workflows/{workflow_id_or_name}/parameters", {
    params: runParams(run),
  });
  return readParameters(given, data!.parameters);
}
