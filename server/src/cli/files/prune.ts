import type { CliHost } from "#cli/host";
import type { Call } from "#cli/call";
import { openClient } from "#cli/connection/open-client";
import { fullNameOf, of, workflowOf } from "#cli/runs/run-address";

/** Deletes the files of a workspace that the specification does not declare. */
export async function prune(host: CliHost, call: Call): Promise<void> {
  const workflow = workflowOf(host, call, call.args[0]);
  const client = await openClient(host, call);
  const { data } = await client.POST("/api/workflows/{workflow_id_or_name}/prune", {
    params: {
      ...of(workflow),
      query: { include_inputs: call.flags("includeInputs"), include_outputs: call.flags("includeOutputs") },
    },
  });
  if (call.flags("json")) return host.print(JSON.stringify(data));
  host.print(`Pruned the workspace of ${await fullNameOf(client, data!.workflow_id)}.`);
}
