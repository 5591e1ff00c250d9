import type { CliHost } from "#cli/host";
import type { Call } from "#cli/call";
import { inColumns } from "#cli/terminal/columns";
import { openClient, withReadingClient } from "#cli/connection/open-client";
import { maybeFailureOf } from "#cli/runs/run-failure";
import { statusHead, type StatusRecord, statusRow } from "#cli/runs/status-row";
import { watchStatus } from "#cli/runs/watch-status";
import { of, workflowOf } from "#cli/runs/run-address";
import { localTime } from "#cli/terminal/times";

/** Shows the status of a run. With `--watch` it follows the run until it has ended and returns its exit code. */
export async function status(host: CliHost, call: Call): Promise<number> {
  const workflow = workflowOf(host, call, call.args[0]);
  const asJson = call.flags("json");
  if (call.flags("watch")) return watchStatus(host, await openClient(host, call), { workflow, asJson });
  await withReadingClient(host, call, async (client) => {
    const { data } = await client.GET("/api/workflows/{workflow_id_or_name}/status", {
      params: of(workflow),
    });
    if (asJson) return host.print(JSON.stringify(data));
    printStatus(host, data!);
    if (data!.status === "failed") host.print((await maybeFailureOf(client, workflow)) ?? "");
  });
  return 0;
}

function printStatus(host: CliHost, record: StatusRecord): void {
  const { run_started_at: started, run_finished_at: finished, run_stopped_at: stopped } = record.progress;
  const times = [started, finished ?? stopped].map((time) => (time ? localTime(time, host.timeZone) : "-"));
  const head = [...statusHead(host), "STARTED", "ENDED"];
  for (const line of inColumns([head, [...statusRow(host, record), ...times]])) host.print(line);
  if (record.results_note) host.complain(`Warning: ${record.results_note}`);
  if (record.waiting_for) host.print(`Waiting: ${record.waiting_for}`);
}
