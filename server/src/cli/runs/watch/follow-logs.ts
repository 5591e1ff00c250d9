import type { operations, RepriseClient } from "reprise-sdk";
import { CommandError, EXIT_FAILURE } from "#cli/failure";
import type { CliContext } from "#cli/context";
import { printFailureOf } from "#cli/runs/watch/run-failure";
import { POLL_INTERVAL_MS } from "#cli/runs/watch/watch-status";
import { isOfSteps, JobHeadings } from "#cli/runs/watch/job-heading";
import { runParams } from "#cli/run-address";
import { whileWaiting } from "#cli/connection/while-waiting";
import { messageOf } from "#plumbing/errors";
import { isOver } from "#workflow/run/run-status";

type JobsPage = operations["list-jobs"]["responses"][200]["content"]["application/json"];
type Job = JobsPage["items"][number];

export interface Followed {
  /** UUID or name of the run. */
  readonly run: string;
  /** Shown steps; empty for all. */
  readonly steps: readonly string[];
}

/** Number of jobs per request. */
const PAGE_SIZE = 100;
/** Number of connection failures without a byte in between after which a log is given up. */
const FAILURES_WITHOUT_PROGRESS_MAX = 20;

/**
 * Prints the output of the jobs as it is written, one job at a time in order of submission, until the run has
 * ended. The status is read before the jobs, so that all jobs of an ended run are seen. Returns 0 if the run
 * has finished, else 1.
 */
export async function followLogs(
  cli: CliContext,
  client: RepriseClient,
  followed: Followed,
): Promise<number> {
  return whileWaiting(
    () => followed.run,
    () => follow(cli, client, followed),
  );
}

async function follow(cli: CliContext, client: RepriseClient, { run, steps }: Followed): Promise<number> {
  const headings = new JobHeadings();
  let told = false;
  for (let seen = 0; ;) {
    const { data } = await client.GET("/api/workflows/{workflow_id_or_name}/status", {
      params: runParams(run),
    });
    const { status, name } = data!;
    const jobs = await jobsFrom(client, run, seen);
    headings.add(jobs);
    for (const job of jobs) {
      if (isOfSteps(job, steps)) await followJob(cli, client, { run, job, heading: headings.of(job) });
    }
    seen += jobs.length;
    if (jobs.length > 0) continue;
    if (isOver(status)) return end(cli, client, { run, name, status });
    if (status === "created" && !told) cli.printError(`${name} has not been started yet.`);
    told = true;
    await pause(cli);
  }
}

/** Returns the jobs after the first `seen` jobs, up to the end of their page. */
async function jobsFrom(client: RepriseClient, run: string, seen: number): Promise<Job[]> {
  const query = { page: Math.floor(seen / PAGE_SIZE) + 1, size: PAGE_SIZE };
  const { data } = await client.GET("/api/workflows/{workflow_id_or_name}/jobs", {
    params: { ...runParams(run), query },
  });
  return data!.items.slice(seen % PAGE_SIZE);
}

interface FollowedJob {
  readonly run: string;
  readonly job: Job;
  readonly heading: string;
}

async function followJob(
  cli: CliContext,
  client: RepriseClient,
  { run, job, heading }: FollowedJob,
): Promise<void> {
  const at = `/api/workflows/${encodeURIComponent(run)}/jobs/${job.id}/log`;
  const decoder = new TextDecoder();
  let [from, failures, last] = [0, 0, "\n"];
  const print = (text: string) => {
    if (text === "") return;
    cli.printPart(text);
    last = text.slice(-1);
  };
  for (;;) {
    const answer = await client.send(`${at}?from=${from}&follow=true`);
    const { bytes, failure } = await readChunks(answer, (chunk) => {
      if (from === 0) cli.print(heading);
      from += chunk.length;
      print(decoder.decode(chunk, { stream: true }));
    });
    if (failure === undefined) break;
    failures = bytes > 0 ? 0 : failures + 1;
    if (failures > FAILURES_WITHOUT_PROGRESS_MAX)
      throw new CommandError(`The log of ${job.label} broke off: ${messageOf(failure)}`);
    await pause(cli);
  }
  print(decoder.decode());
  // The next output must start on a line of its own.
  if (last !== "\n") cli.printPart("\n");
}

async function readChunks(
  { body }: Response,
  onChunk: (chunk: Uint8Array) => void,
): Promise<{ readonly bytes: number; readonly failure?: unknown }> {
  let bytes = 0;
  try {
    for await (const chunk of body ?? []) {
      onChunk(chunk);
      bytes += chunk.length;
    }
    return { bytes };
  } catch (failure) {
    return { bytes, failure };
  }
}

async function end(
  cli: CliContext,
  client: RepriseClient,
  { run, name, status }: { readonly run: string; readonly name: string; readonly status: string },
): Promise<number> {
  cli.printError(`${name} ${status === "stopped" || status === "deleted" ? "was " : ""}${status}.`);
  if (status === "failed") await printFailureOf(cli, client, run);
  return status === "finished" ? 0 : EXIT_FAILURE;
}

function pause({ clock }: CliContext): Promise<void> {
  return new Promise((resolve) => void clock.after(POLL_INTERVAL_MS, resolve));
}
