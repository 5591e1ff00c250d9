import type { CliContext } from "#cli/context";
import type { Call } from "#cli/call";
import { openClient } from "#cli/connection/open-client";
import { fullNameOf, of, chosenRun } from "#cli/runs/run-address";

/** Deletes the files of a workspace that the specification does not declare. */
export async function prune(cli: CliContext, call: Call): Promise<void> {
  const run = chosenRun(cli, call, call.args[0]);
  const client = await openClient(cli, call);
  const { data } = await client.POST("/api/workflows/{workflow_id_or_name}/prune", {
    params: {
      ...of(run),
      query: { include_inputs: call.flags("includeInputs"), include_outputs: call.flags("includeOutputs") },
    },
  });
  if (call.flags("json")) return cli.print(JSON.stringify(data));
  cli.print(`Pruned the workspace of ${await fullNameOf(client, data!.workflow_id)}.`);
}
