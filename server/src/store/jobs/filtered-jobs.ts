import { setImmediate } from "node:timers/promises";
import { type RawBuilder, sql, type SqlBool } from "kysely";
import type { Connection } from "#store/database/database";
import { containsText } from "#store/database/contains-text";
import { endedJobCondition, openJobCondition } from "#store/database/status-in";
import { countJobs, type JobRecord, jobsAt } from "#store/jobs/jobs";
import { isOpenJob, type JobStatus } from "#workflow/job/job";

/** What jobs of a run must have in common. Absent fields exclude none. */
export interface JobFilter {
  readonly node?: string;
  readonly status?: JobStatus;
  /** Attempts of this job only. */
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

/** Returns the jobs that match on one page, in order of submission, and the number of all that match. */
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
    // The condition names the index that has the jobs of this status in order.
    status !== undefined &&
      sql`status = ${status} and ${isOpenJob(status) ? openJobCondition : endedJobCondition}`,
    key !== undefined && sql`key = ${key}`,
    text !== undefined &&
      sql`(${containsText(sql`coalesce(label, name)`, text)} or ${containsText(sql`command`, text)})`,
  ].filter((one) => one !== false);
  return conditions.length === 0 ? sql`true` : sql.join(conditions, sql` and `);
}
