import type { Connection } from "#store/database/database";
import { fixedQuery } from "#store/database/fixed-query";
import { openJobCondition } from "#store/database/status-in";
import { LIVE_STATUSES, type RunStatus } from "#workflow/run/run-status";

/** Sums over the runs of all users: the load of the whole service. */

/** Counts the live runs of all users by status. Read from the maintained totals. */
export async function countLiveRuns(db: Connection): Promise<ReadonlyMap<RunStatus, number>> {
  const rows = await db
    .selectFrom("run_counts")
    .select((expression) => ["status", expression.fn.sum<number | string>("total").as("total")] as const)
    .where("status", "in", [...LIVE_STATUSES])
    .groupBy("status")
    .execute();
  return new Map(rows.map((row) => [row.status, Number(row.total)]));
}

/** Counts the runs of all users by status, deleted ones included. Read from the maintained totals. */
export async function countRuns(db: Connection): Promise<ReadonlyMap<RunStatus, number>> {
  const { rows } = await totalsByStatus(db, {});
  return new Map(rows.map((row) => [row.status, Number(row.total)]));
}

const totalsByStatus = fixedQuery((db, _: object) =>
  db
    .selectFrom("run_counts")
    .select((expression) => ["status", expression.fn.sum<number | string>("total").as("total")] as const)
    .groupBy("status"),
);

export interface OpenJobs {
  readonly running: number;
  /** Number of jobs waiting for a backend. */
  readonly created: number;
}

export async function countOpenJobs(db: Connection): Promise<OpenJobs> {
  const rows = await db
    .selectFrom("jobs")
    .select((expression) => ["status", expression.fn.countAll<number | string>().as("total")] as const)
    .where(openJobCondition)
    .groupBy("status")
    .execute();
  const totals = new Map(rows.map((row) => [row.status, Number(row.total)]));
  return { running: totals.get("running") ?? 0, created: totals.get("created") ?? 0 };
}
