import { type RawBuilder, sql } from "kysely";
import { ENDED_JOB_STATUSES, OPEN_JOB_STATUSES } from "#workflow/job/job";
import { LIVE_STATUSES } from "#workflow/run/run-status";

/** Conditions written as literal text, because the planner uses a partial index only for the very words of the index. */

export const openJobCondition = statusIn(OPEN_JOB_STATUSES);
export const endedJobCondition = statusIn(ENDED_JOB_STATUSES);
export const liveRunCondition = statusIn(LIVE_STATUSES);

function statusIn(words: readonly string[]): RawBuilder<boolean> {
  return sql<boolean>`status in (${sql.join(words.map((word) => sql.lit(word)))})`;
}
