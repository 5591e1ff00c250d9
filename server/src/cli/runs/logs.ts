import type { RepriseClient } from "reprise-sdk";
import type { CliHost } from "#cli/host";
import { type Call, optionsOf } from "#cli/call";
import { followLogs } from "#cli/runs/follow-logs";
import { openClient, withReadingClient } from "#cli/connection/open-client";
import { maybeFailureOf } from "#cli/runs/run-failure";
import { of, workflowOf } from "#cli/runs/run-address";
import { printable } from "#plumbing/printable";

interface Logs {
  readonly workflow_logs: string | null;
  readonly job_logs: Readonly<Record<string, { job_name: string | null; status: string; logs: string }>>;
}

/**
 * Prints the output of a run's jobs, and the reason if the run failed. With `-f` it follows the output until the run
 * has ended.
 */
export async function logs(host: CliHost, call: Call): Promise<number> {
  const workflow = workflowOf(host, call, call.args[0]);
  const steps = optionsOf(call, "step");
  if (call.flags("follow")) return followLogs(host, await openClient(host, call), { workflow, steps });
  const { said, failure } = await withReadingClient(host, call, async (client) => ({
    said: await readLogs(client, workflow),
    failure: await maybeFailureOf(client, workflow),
  }));
  if (call.flags("json")) {
    host.print(JSON.stringify({ ...said, job_logs: Object.fromEntries(jobsOf(said, steps)) }));
    return 0;
  }
  for (const [, job] of jobsOf(said, steps)) printLog(host, nameOf(job), job.logs);
  if (call.flags("engine")) printLog(host, "engine", said.workflow_logs ?? "");
  if (failure !== undefined && steps.length === 0) host.complain(failure);
  return 0;
}

async function readLogs(client: RepriseClient, workflow: string): Promise<Logs> {
  const { data } = await client.GET("/api/workflows/{workflow_id_or_name}/logs", { params: of(workflow) });
  return JSON.parse(data!.logs) as Logs;
}

function jobsOf({ job_logs: jobs }: Logs, steps: readonly string[]) {
  const all = Object.entries(jobs);
  return steps.length === 0 ? all : all.filter(([, job]) => steps.includes(nameOf(job)));
}

function nameOf({ job_name: name }: { job_name: string | null }): string {
  return name ?? "";
}

function printLog(host: CliHost, name: string, text: string): void {
  if (text === "") return;
  host.print(`==> ${printable(name, 200)} <==`);
  host.printPart(text);
  // The next output must start on a line of its own.
  if (!text.endsWith("\n")) host.printPart("\n");
}
