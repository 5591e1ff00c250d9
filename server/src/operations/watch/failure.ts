import type { Caller } from "#operations/context";
import type { WatchServices } from "#operations/watch/services";
import { findRun } from "#operations/find-run";
import { shownCommand } from "#operations/watch/shown-command";
import type { Connection } from "#store/database/database";
import { type JobRecord, maybeJob } from "#store/jobs/jobs";
import { oneRunEvent } from "#store/events/run-events";
import type { Run } from "#store/runs/runs";
import type { FailureReport } from "#workflow/reports";

/** Job responsible for a failure. */
interface FailedJob extends JobRecord {
  /** Command in readable form. */
  readonly shownCommand: string;
}

/** Cause of a run's failure, for a person. All clients show the same text. */
export interface RunFailure extends FailureReport {
  /** Job responsible for the failure, if any. */
  readonly job: FailedJob | undefined;
}

/** Returns the failure of a run, or undefined if it has not failed. */
export async function maybeRunFailure(
  { db, workspaces }: Pick<WatchServices, "db" | "workspaces">,
  run: Run,
): Promise<RunFailure | undefined> {
  const { id, failure: sentence, failedJob } = run;
  if (sentence === null) return undefined;
  const job = failedJob === null ? undefined : await maybeJob(db, id, failedJob);
  if (!job) return { sentence, job, lastLines: [] };
  const place = { workspaceFolder: workspaces.of(run.workspaceId).folder, key: job.key };
  const shown = { ...job, shownCommand: shownCommand(job.command, place) };
  return { sentence, job: shown, lastLines: await lastLinesOf(db, job) };
}

async function lastLinesOf(db: Connection, { runId, endedSeq }: JobRecord): Promise<readonly string[]> {
  if (endedSeq === null) return [];
  const { body } = await oneRunEvent(db, runId, endedSeq);
  return (body as { readonly lastLines?: readonly string[] }).lastLines ?? [];
}

/** Returns why a run failed, or undefined if it has not failed. */
export async function getFailure(
  context: Pick<WatchServices, "db" | "clock" | "workspaces">,
  caller: Caller,
  address: string,
): Promise<RunFailure | undefined> {
  return maybeRunFailure(context, await findRun(context, caller, address, "see"));
}
