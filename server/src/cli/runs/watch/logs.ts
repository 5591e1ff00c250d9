import type { RepriseClient } from "reprise-sdk";
import type { CliContext } from "#cli/context";
import { type Call, optionsOf } from "#cli/call";
import { followLogs } from "#cli/runs/watch/follow-logs";
import { openClient, withReadingClient } from "#cli/connection/open-client";
import { maybeFailureOf } from "#cli/runs/watch/run-failure";
import { runParams, chosenRun } from "#cli/runs/run-address";
import { printable } from "#plumbing/text/printable";

interface Logs {
  readonly workflow_logs: string | null;
  readonly job_logs: Readonly<Record<string, { job_name: string | null; status: string; logs: string }>>;
}

/**
 * Prints the output of a run's jobs, and the reason if the run failed. With `-f` it follows the output until the run
 * has ended.
 */
export async function logs(cli: CliContext, call: Call): Promise<number> {
  const run = chosenRun(cli, call, call.args[0]);
  const steps = optionsOf(call, "step");
  if (call.flags("follow")) return followLogs(cli, await openClient(cli, call), { run, steps });
  const { said, failure } = await withReadingClient(cli, call, async (client) => ({
    said: await readLogs(client, run),
    failure: await maybeFailureOf(client, run),
  }));
  if (call.flags("json")) {
    cli.print(JSON.stringify({ ...said, job_logs: Object.fromEntries(jobsOf(said, steps)) }));
    return 0;
  }
  for (const [, job] of jobsOf(said, steps)) printLog(cli, nameOf(job), job.logs);
  if (call.flags("engine")) printLog(cli, "engine", said.workflow_logs ?? "");
  if (failure !== undefined && steps.length === 0) cli.printError(failure);
  return 0;
}

async function readLogs(client: RepriseClient, run: string): Promise<Logs> {
  const { data } = await client.GET("/api/workflows/{workflow_id_or_name}/logs", { params: runParams(run) });
  return JSON.parse(data!.logs) as Logs;
}

function jobsOf({ job_logs: jobs }: Logs, steps: readonly string[]) {
  const all = Object.entries(jobs);
  return steps.length === 0 ? all : all.filter(([, job]) => steps.includes(nameOf(job)));
}

function nameOf({ job_name: name }: { job_name: string | null }): string {
  return name ?? "";
}

function printLog(cli: CliContext, name: string, text: string): void {
  if (text === "") return;
  cli.print(`==> ${printable(name, 200)} <==`);
  cli.printPart(text);
  // The next output must start on a line of its own.
  if (!text.endsWith("\n")) cli.printPart("\n");
}
