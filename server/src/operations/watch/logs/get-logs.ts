import type { Caller } from "#operations/context";
import type { WatchServices } from "#operations/watch/services";
import { findRun } from "#operations/find-run";
import { lastPart, type LoggedJob, readJobLogs } from "#operations/watch/logs/job-logs";
import { type Paging, pageOf } from "#operations/page";
import { jobsOfRun } from "#store/jobs/jobs";
import { engineLog } from "#store/events/run-events";
import type { Run } from "#store/runs/runs";

export interface LogsQuery {
  /** UUID or name. */
  readonly address: string;
  /** Names of steps. If given, only their jobs are returned, without the engine log. */
  readonly steps?: readonly string[];
  /** Pages of jobs. */
  readonly paging: Paging;
}

export interface Logs {
  readonly run: Run;
  /** Null if only some steps were asked for. */
  readonly engineLog: string | null;
  readonly jobs: readonly LoggedJob[];
}

/** Returns what the engine and the jobs of a run have printed so far, limited in total. */
export async function getLogs(
  context: Pick<WatchServices, "db" | "clock" | "jobLogs" | "secrets" | "limits">,
  caller: Caller,
  wanted: LogsQuery,
): Promise<Logs> {
  const run = await findRun(context, caller, wanted.address, "see");
  const { steps } = wanted;
  const jobs = await jobsOfRun(context.db, run.id);
  const chosen = steps ? jobs.filter((job) => steps.includes(job.name)) : jobs;
  const maxBytes = context.limits.maxLogBytesInReply;
  const ofEngine = steps ? null : lastPart(await engineLog(context.db, run.id), Math.floor(maxBytes / 2));
  const left = maxBytes - Buffer.byteLength(ofEngine ?? "");
  const page = pageOf(chosen, wanted.paging);
  return {
    run,
    engineLog: ofEngine,
    jobs: await readJobLogs(context, run, page.items, Math.max(0, left)),
  };
}
