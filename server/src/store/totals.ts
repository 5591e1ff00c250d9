import { type RawBuilder, sql } from "kysely";
import type { Connection } from "#store/database";
import { isPresent } from "#store/hosts";
import { LIVE_STATUSES, type RunStatus } from "#workflow/run-status";

/** Sums over many runs: what a user has used, and how busy the whole service is. */

/** Processor time of all jobs of a user's runs that have ended, of deleted runs too. */
export async function cpuMsOfOwner(db: Connection, ownerId: string): Promise<number> {
  const row = await db
    .selectFrom("workflows")
    .select((expression) => expression.fn.sum<number | string | null>("cpu_ms").as("total"))
    .where("owner_id", "=", ownerId)
    .executeTakeFirstOrThrow();
  return Number(row.total ?? 0);
}

/** All users' runs together that are live, by status; read off the maintained totals. */
export async function countLiveRuns(db: Connection): Promise<ReadonlyMap<RunStatus, number>> {
  const rows = await db
    .selectFrom("workflow_counts")
    .select((expression) => ["status", expression.fn.sum<number | string>("total").as("total")] as const)
    .where("status", "in", [...LIVE_STATUSES])
    .groupBy("status")
    .execute();
  return new Map(rows.map((row) => [row.status, Number(row.total)]));
}

export interface OpenJobs {
  readonly running: number;
  /** They wait for a place. */
  readonly created: number;
}

export async function countOpenJobs(db: Connection): Promise<OpenJobs> {
  const rows = await db
    .selectFrom("jobs")
    .select((expression) => ["status", expression.fn.countAll<number | string>().as("total")] as const)
    // In these words, so that the index of open jobs is seen to hold them.
    .where(sql<boolean>`status in ('created', 'running')`)
    .groupBy("status")
    .execute();
  const totals = new Map(rows.map((row) => [row.status, Number(row.total)]));
  return { running: totals.get("running") ?? 0, created: totals.get("created") ?? 0 };
}

export interface HostCounts {
  readonly total: number;
  readonly present: number;
}

/** Those that have not signed off: present, or silent without a word. */
export async function countHosts(db: Connection): Promise<HostCounts> {
  const one = (condition: RawBuilder<boolean>) =>
    sql<number | string>`sum(case when ${condition} then 1 else 0 end)`;
  const row = await db
    .selectFrom("hosts")
    .select((expression) => [
      expression.fn.countAll<number | string>().as("total"),
      one(isPresent(db)).as("present"),
    ])
    .where("seen_at", ">", 0)
    .executeTakeFirstOrThrow();
  return { total: Number(row.total), present: Number(row.present ?? 0) };
}
