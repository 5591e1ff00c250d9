import type { CliContext } from "#cli/context";
import type { Call } from "#cli/call";
import type { RepriseClient } from "reprise-sdk";
import { confirm } from "#cli/terminal/confirm";
import { openClient } from "#cli/connection/open-client";
import { shortSize } from "#plumbing/text/human-size";
import { fullNameOf, runParams, chosenRun } from "#cli/run-address";
import { counted } from "#plumbing/text/counted";

/** Deletes the files of a workspace that the specification does not declare. */
export async function prune(cli: CliContext, call: Call): Promise<void> {
  const run = chosenRun(cli, call, call.args[0]);
  const client = await openClient(cli, call);
  const query = {
    include_inputs: call.flags("includeInputs"),
    include_outputs: call.flags("includeOutputs"),
  };
  const params = { ...runParams(run), query };
  if (call.flags("dryRun")) {
    const preview = (await client.GET("/api/workflows/{workflow_id_or_name}/prune", { params })).data!;
    if (call.flags("json")) return cli.print(JSON.stringify(preview));
    for (const { name } of preview.files) cli.print(name);
    const { total_files: count, total_bytes: bytes, workflow_name: name } = preview;
    return cli.print(`A prune of ${name} would delete ${counted(count, "file")} (${shortSize(bytes)}).`);
  }
  if (cli.ask && !call.flags("yes")) await confirmPrune(cli, call, client, params);
  const { data } = await client.POST("/api/workflows/{workflow_id_or_name}/prune", { params });
  if (call.flags("json")) return cli.print(JSON.stringify(data));
  cli.print(`Pruned the workspace of ${await fullNameOf(client, data!.workflow_id)}.`);
}

type PruneParams = ReturnType<typeof runParams> & {
  readonly query: { readonly include_inputs: boolean; readonly include_outputs: boolean };
};

async function confirmPrune(
  cli: CliContext,
  call: Call,
  client: RepriseClient,
  params: PruneParams,
): Promise<void> {
  const preview = (await client.GET("/api/workflows/{workflow_id_or_name}/prune", { params })).data!;
  const { total_files: count, total_bytes: bytes, workflow_name: name } = preview;
  if (count === 0) return;
  await confirm(cli, call, `Delete ${counted(count, "file")} (${shortSize(bytes)}) of ${name}? [y/N] `);
}
