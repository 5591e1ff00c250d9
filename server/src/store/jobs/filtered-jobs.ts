import { setImmediate } from "node:timers/promises";
import { type RawBuilder, sql, type SqlBool } from "kysely";
import type { Connection } from "#store/database/database";
import { containsText } from "#store/database/contains-text";
import { endedJobCondition, openJobCondition, shownStatusIs } from "#store/database/status-in";
import { countJobs, type JobRecord, jobsAt } from "#store/jobs/jobs";
import { isOpenJob, type JobStatus } from "#workflow/job/job";

/** Criteria for jobs of a run. Absent fields match every job. */
export interface JobFilter {
  readonly node?: string;
  readonly status?: JobStatus;
  /** Only attempts of the job with this key. */
  readonly key?: string;
  /** Part of the label or the command, in capitals or not. */
  readonly text?: string;
}

/** Reading the texts of all 100,000 jobs of a run at once would stop the server for 200 ms. */
const JOBS_AT_ONCE = 5000;

interface Part {
  readonly offset: number;
  readonly limit: number;
  readonly newestFirst: boolean;
}

/** Returns one page of the matching jobs, in order of submission, and the total number of matches. */
export async function matchingJobs(
  db: Connection,
  runId: string,
  filter: JobFilter,
  { offset, limit, newestFirst }: Part,
): Promise<{ readonly jobs: readonly JobRecord[]; readonly total: number }> {
  const all = await matchingOrdinals(db, runId, filter);
  const inOrder = newestFirst ? all.toReversed() : all;
  return { jobs: await jobsAt(db, runId, inOrder.slice(offset, offset + limit)), total: all.length };
}

/** Reads a piece of the run at a time. Other work gets its turn between two pieces. */
async function matchingOrdinals(db: Connection, runId: string, filter: JobFilter): Promise<number[]> {
  const count = await countJobs(db, runId);
  const found: number[] = [];
  for (let from = 0; from < count; from += JOBS_AT_ONCE) {
    if (from > 0) await setImmediate();
    const rows = await db
      .selectFrom("jobs")
      .select("ordinal")
      .where("run_id", "=", runId)
      .where("ordinal", ">=", from)
      .where("ordinal", "<", from + JOBS_AT_ONCE)
      .where(matches(filter))
      .orderBy("ordinal")
      .execute();
    for (const { ordinal } of rows) found.push(ordinal);
  }
  return found;
}

function matches({ node, status, key, text }: JobFilter): RawBuilder<SqlBool> {
  const conditions = [
    node !== undefined && sql`node = ${node}`,
    // The condition selects the index with the jobs of a status in order.
    status !== undefined &&
      sql`${shownStatusIs(status)} and ${isOpenJob(status) ? openJobCondition : endedJobCondition}`,
    key !== undefined && sql`key = ${key}`,
    text !== undefined &&
      sql`(${containsText(sql`coalesce(label, name)`, text)} or ${containsText(sql`command`, text)})`,
  ].filter((one) => one !== false);
  return conditions.length === 0 ? sql`true` : sql.join(conditions, sql` and `);
}
