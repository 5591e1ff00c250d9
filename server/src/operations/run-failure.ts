import type { Connection } from "#store/database";
import { type JobRecord, maybeJob } from "#store/jobs";
import { oneRunEvent } from "#store/run-events";
import type { Workflow } from "#store/workflows";

/** Why a run failed, for a person: the same wherever it is told. */
export interface RunFailure {
  /** Which step failed, and why: `Step "fit" failed: its command exited with code 3.` */
  readonly sentence: string;
  /** The job that it came from, where there is one. */
  readonly job: JobRecord | undefined;
  /** The last lines that the job printed, as they were recorded with its end. */
  readonly lastLines: readonly string[];
}

/** Nothing when the run has not failed. */
export async function maybeRunFailure(db: Connection, workflow: Workflow): Promise<RunFailure | undefined> {
  const { id, failure: sentence, failedJob } = workflow;
  if (sentence === null) return undefined;
  const job = failedJob === null ? undefined : await maybeJob(db, id, failedJob);
  return { sentence, job, lastLines: job ? await lastLinesOf(db, job) : [] };
}

async function lastLinesOf(db: Connection, { workflowId, endedSeq }: JobRecord): Promise<readonly string[]> {
  if (endedSeq === null) return [];
  const { body } = await oneRunEvent(db, workflowId, endedSeq);
  return (body as { readonly lastLines?: readonly string[] }).lastLines ?? [];
}
