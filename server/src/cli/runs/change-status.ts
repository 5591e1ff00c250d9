import type { components, RepriseClient } from "reprise-sdk";
import type { CliContext } from "#cli/context";
import type { Call } from "#cli/call";
import { openClient } from "#cli/connection/open-client";
import { startValues } from "#cli/specification/parameters";
import { watchStatus } from "#cli/runs/watch/watch-status";
import { runParams, chosenRun } from "#cli/run-address";

/** The commands that change the status of a run. Each prints one sentence about the result. */

export async function start(cli: CliContext, call: Call): Promise<number> {
  const run = chosenRun(cli, call, call.args[0]);
  const client = await openClient(cli, call);
  const body = await startValues(client, run, call);
  const record = await putStatus(client, run, "start", body);
  return printStarted(cli, call, client, {
    record,
    sentence: `${record.workflow_name} is ${record.status}.`,
  });
}

type StartBody = Readonly<Record<string, unknown>>;

export interface Started {
  readonly record: { readonly workflow_id: string };
  readonly sentence: string;
}

export function printStarted(
  cli: CliContext,
  call: Call,
  client: RepriseClient,
  { record, sentence }: Started,
): Promise<number> | number {
  const [isWatched, asJson] = [call.flags("watch"), call.flags("json")];
  if (!asJson) cli.print(sentence);
  else if (!isWatched) cli.print(JSON.stringify(record));
  return isWatched ? watchStatus(cli, client, { run: record.workflow_id, asJson }) : 0;
}

export async function stop(cli: CliContext, call: Call): Promise<void> {
  const run = chosenRun(cli, call, call.args[0]);
  const record = await putStatus(await openClient(cli, call), run, "stop", {});
  if (call.flags("json")) return cli.print(JSON.stringify(record));
  cli.print(record.status === "stopped" ? `Stopped ${record.workflow_name}.` : record.message);
}

export async function putStatus(client: RepriseClient, run: string, status: string, body: StartBody) {
  const { data } = await client.PUT("/api/workflows/{workflow_id_or_name}/status", {
    params: { ...runParams(run), query: { status } },
    body: body as components["schemas"] & object,
  });
  return data!;
}
