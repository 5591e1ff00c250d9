import type { Connection } from "#store/database/database";
import { type Run, RUN_COLUMNS, toRun } from "#store/runs/runs";
import type { RunStatus } from "#workflow/run/run-status";

/** Filter for runs of all users, or of a single user. */
export interface AllRunsFilter {
  readonly statuses: readonly RunStatus[];
  readonly ownerId?: string;
}

/** Returns a page of the runs of all users, the newest first. */
export async function pageOfAllRuns(
  db: Connection,
  { statuses, ownerId }: AllRunsFilter,
  { offset, limit }: { readonly offset: number; readonly limit: number },
): Promise<Run[]> {
  let query = db
    .selectFrom("runs")
    .select(RUN_COLUMNS)
    .where("status", "in", [...statuses])
    .orderBy("seq", "desc")
    .offset(offset)
    .limit(limit);
  if (ownerId !== undefined) query = query.where("owner_id", "=", ownerId);
  return (await query.execute()).map(toRun);
}

/** Counts runs by the maintained totals. */
export async function countAllRuns(db: Connection, { statuses, ownerId }: AllRunsFilter): Promise<number> {
  let query = db
    .selectFrom("run_counts")
    .select((is) => is.fn.sum<number | string | null>("total").as("total"))
    .where("status", "in", [...statuses]);
  if (ownerId !== undefined) query = query.where("owner_id", "=", ownerId);
  return Number((await query.executeTakeFirstOrThrow()).total ?? 0);
}
