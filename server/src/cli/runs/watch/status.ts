import type { RepriseClient } from "reprise-sdk";
import type { CliContext } from "#cli/context";
import type { Call } from "#cli/call";
import { inColumns } from "#cli/terminal/columns";
import { openClient, withReadingClient } from "#cli/connection/open-client";
import { maybePaceSentence } from "#cli/runs/watch/pace";
import { maybeFailureOf } from "#cli/runs/watch/run-failure";
import { statusHead, type StatusRecord, statusRow } from "#cli/runs/watch/status-row";
import { watchStatus } from "#cli/runs/watch/watch-status";
import { runParams, chosenRun } from "#cli/run-address";
import { localTime } from "#cli/terminal/times";
import { doiAddress } from "#workflow/run/publication";
import { isOver } from "#workflow/run/run-status";

/**
 * Shows the status of a run. With `--watch`, follows the run until it has ended and returns the run's exit
 * code.
 */
export async function status(cli: CliContext, call: Call): Promise<number> {
  const run = chosenRun(cli, call, call.args[0]);
  const asJson = call.flags("json");
  if (call.flags("watch")) return watchStatus(cli, await openClient(cli, call), { run, asJson });
  await withReadingClient(cli, call, async (client) => {
    const { data } = await client.GET("/api/workflows/{workflow_id_or_name}/status", {
      params: runParams(run),
    });
    if (asJson) return cli.print(JSON.stringify(data));
    printStatus(cli, data!);
    if (data!.status === "failed") cli.print((await maybeFailureOf(client, run)) ?? "");
    if (isOver(data!.status)) await printAdvice(cli, client, run);
  });
  return 0;
}

/** Prints the memory limits that did not fit the usage of the steps. */
async function printAdvice(cli: CliContext, client: RepriseClient, run: string): Promise<void> {
  const { data } = await client.GET("/api/workflows/{workflow_id_or_name}/usage", { params: runParams(run) });
  for (const { advice } of data!.memory) if (advice) cli.printError(`Advice: ${advice.message}`);
}

function printStatus(cli: CliContext, record: StatusRecord): void {
  const { run_started_at: started, run_finished_at: finished, run_stopped_at: stopped } = record.progress;
  const times = [started, finished ?? stopped].map((time) => (time ? localTime(time, cli.timeZone) : "-"));
  const head = [...statusHead(cli), "STARTED", "ENDED"];
  for (const line of inColumns([head, [...statusRow(cli, record), ...times]])) cli.print(line);
  if (record.doi) cli.print(`DOI: ${doiAddress(record.doi)}`);
  if (record.restarted_as) cli.print(restartSentence(record.restarted_as));
  if (record.results_note) cli.printError(`Warning: ${record.results_note}`);
  if (record.waiting_for) cli.print(`Waiting: ${record.waiting_for}`);
  const pace = maybePaceSentence(record);
  if (pace) cli.print(pace);
}

type RestartedAs = NonNullable<StatusRecord["restarted_as"]>;

function restartSentence({ workflow_name: name, status: word }: RestartedAs): string {
  return `Restarted as ${name}: ${word}. The files of the workspace are of ${name}.`;
}
