import { type RawBuilder, sql } from "kysely";
import { ENDED_JOB_STATUSES, type JobStatus, OPEN_JOB_STATUSES } from "#workflow/job/job";
import { LIVE_STATUSES } from "#workflow/run/run-status";

/** Conditions written as literal text, because the planner uses a partial index only for the very words of the index. */

export const openJobCondition = statusIn(OPEN_JOB_STATUSES);
export const endedJobCondition = statusIn(ENDED_JOB_STATUSES);
export const liveRunCondition = statusIn(LIVE_STATUSES);

/** The status of a job for people. Only a row with the status `running` has a reason for a wait. */
export const shownJobStatus = sql<JobStatus>`case when queue_reason is null then status else 'queued' end`;

/** Jobs with that shown status. */
export function shownStatusIs(status: JobStatus): RawBuilder<boolean> {
  if (status === "queued") return sql<boolean>`(status = 'running' and queue_reason is not null)`;
  if (status === "running") return sql<boolean>`(status = 'running' and queue_reason is null)`;
  return sql<boolean>`status = ${status}`;
}

function statusIn(words: readonly string[]): RawBuilder<boolean> {
  return sql<boolean>`status in (${sql.join(words.map((word) => sql.lit(word)))})`;
}
