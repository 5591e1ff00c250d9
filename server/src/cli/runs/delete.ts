import type { RepriseClient } from "reprise-sdk";
import type { CliContext } from "#cli/context";
import type { Call } from "#cli/call";
import { putStatus } from "#cli/runs/change-status";
import { confirm } from "#cli/terminal/confirm";
import { openClient } from "#cli/connection/open-client";
import { chosenRun, fullNameOf, runParams } from "#cli/run-address";
import { CURRENT_STATUSES } from "#workflow/run/run-status";
import { counted } from "#plumbing/text/counted";

/** Deletes a run, or with `--all-runs` all runs of its name, after asking at a terminal. */
export async function remove(cli: CliContext, call: Call): Promise<void> {
  const run = chosenRun(cli, call, call.args[0]);
  const client = await openClient(cli, call);
  if (call.flags("allRuns")) return removeAll(cli, call, client, run);
  const route = "/api/workflows/{workflow_id_or_name}/status";
  const before = (await client.GET(route, { params: runParams(run) })).data!;
  const wasDeleted = before.status === "deleted";
  if (!wasDeleted) await confirm(cli, call, `Delete ${before.name} with its files? [y/N] `);
  const record = await putStatus(client, before.id, "deleted", {});
  if (call.flags("json")) return cli.print(JSON.stringify(record));
  cli.print(wasDeleted ? `${before.name} was deleted already.` : `Deleted ${before.name}.`);
}

async function removeAll(cli: CliContext, call: Call, client: RepriseClient, run: string): Promise<void> {
  const name = (await fullNameOf(client, run)).split(".")[0]!;
  const before = await countRuns(client, name);
  await confirm(cli, call, `Delete ${counted(before, "run")} of ${name}, with their files? [y/N] `);
  const record = await putStatus(client, run, "deleted", { all_runs: true });
  if (call.flags("json")) return cli.print(JSON.stringify(record));
  const left = await countRuns(client, name);
  cli.print(`Deleted ${counted(before - left, "run")} of ${name}.`);
  if (left > 0)
    cli.printError(`Not deleted: ${counted(left, "run")}. Stop running runs first, then delete them.`);
}

async function countRuns(client: RepriseClient, name: string): Promise<number> {
  const query = { page: 1, size: 1, workflow_id_or_name: name, status: [...CURRENT_STATUSES] };
  const { data } = await client.GET("/api/workflows", { params: { query } });
  return (data as Exclude<typeof data, readonly unknown[] | undefined>).total;
}
