import type { components, RepriseClient } from "reprise-sdk";
import type { CliContext } from "#cli/context";
import { type Call, optionsOf } from "#cli/call";
import { isOfSteps, JobHeadings } from "#cli/runs/watch/job-heading";
import { followLogs } from "#cli/runs/watch/follow-logs";
import { openClient, withReadingClient } from "#cli/connection/open-client";
import { maybeFailureOf } from "#cli/runs/watch/run-failure";
import { runParams, chosenRun } from "#cli/run-address";

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
  const { said, jobs, failure } = await withReadingClient(cli, call, async (client) => ({
    said: await readLogs(client, run),
    jobs: await namedJobs(client, run),
    failure: await maybeFailureOf(client, run),
  }));
  const shown = Object.entries(said.job_logs).flatMap(([id, log]) => {
    const job = jobs.get(id) ?? unlistedJob(id, log.job_name ?? "");
    return isOfSteps(job, steps) ? [{ id, job, log }] : [];
  });
  if (call.flags("json")) {
    const logsOfJobs = Object.fromEntries(shown.map(({ id, log }) => [id, log]));
    cli.print(JSON.stringify({ ...said, job_logs: logsOfJobs }));
    return 0;
  }
  const headings = new JobHeadings();
  headings.add([...jobs.values()]);
  for (const { job, log } of shown) printLog(cli, headings.of(job), log.logs);
  if (shown.every(({ log }) => log.logs === "")) cli.printError(nothingPrinted(run, steps, shown.length));
  if (call.flags("engine")) printLog(cli, "==> engine <==", said.workflow_logs ?? "");
  if (failure !== undefined && steps.length === 0) cli.printError(failure);
  return 0;
}

async function readLogs(client: RepriseClient, run: string): Promise<Logs> {
  const { data } = await client.GET("/api/workflows/{workflow_id_or_name}/logs", { params: runParams(run) });
  return JSON.parse(data!.logs) as Logs;
}

/** Number of jobs per request. */
const PAGE_SIZE = 1000;

/** Returns the names of all jobs by id. REANA's record of a log has the step's name alone. */
async function namedJobs(client: RepriseClient, run: string) {
  const jobs = new Map<string, components["schemas"]["Job"]>();
  for (let page = 1; ; page += 1) {
    const { data } = await client.GET("/api/workflows/{workflow_id_or_name}/jobs", {
      params: { ...runParams(run), query: { page, size: PAGE_SIZE } },
    });
    for (const job of data!.items) jobs.set(job.id, job);
    if (data!.items.length < PAGE_SIZE) return jobs;
  }
}

function nothingPrinted(run: string, steps: readonly string[], jobs: number): string {
  if (jobs > 0) return `The ${jobs === 1 ? "job" : "jobs"} of ${run} printed nothing.`;
  return steps.length > 0
    ? `${run} has no jobs of the step ${steps.join(" or ")}.`
    : `${run} has no jobs yet.`;
}

/** Returns the record of a job that came after the list was read. */
function unlistedJob(id: string, step: string) {
  return { key: id, step, label: step, attempt: 1, display_command: "" };
}

function printLog(cli: CliContext, heading: string, text: string): void {
  if (text === "") return;
  cli.print(heading);
  cli.printPart(text);
  // The next output must start on a line of its own.
  if (!text.endsWith("\n")) cli.printPart("\n");
}
