import { sql } from "kysely";
import type { Connection } from "#store/database/database";
import { fixedQuery } from "#store/database/fixed-query";
import { liveRunCondition } from "#store/database/status-in";
import { toRun, type Run, RUN_COLUMNS } from "#store/runs/runs";

/** A user's live runs, by which the scheduler picks the next user. */
export interface QueueLength {
  readonly ownerId: string;
  readonly queued: number;
  /** Live runs no longer queued. */
  readonly active: number;
}

/** Returns the queue lengths of the users who have queued runs. */
export async function queueLengths(db: Connection): Promise<QueueLength[]> {
  const { rows } = await liveTotals(db, {});
  const byOwner = Map.groupBy(rows, (row) => row.owner_id);
  const all = [...byOwner].map(([ownerId, totals]) => ({
    ownerId,
    queued: sumOf(totals.filter((row) => row.status === "queued")),
    active: sumOf(totals.filter((row) => row.status !== "queued")),
  }));
  return all.filter(({ queued }) => queued > 0);
}

const liveTotals = fixedQuery((db, _: object) =>
  db
    .selectFrom("run_counts")
    .select(["owner_id", "status", "total"])
    .where(liveRunCondition)
    .where(sql<boolean>`total > 0`),
);

function sumOf(rows: readonly { readonly total: number }[]): number {
  return rows.reduce((sum, row) => sum + row.total, 0);
}

/** Returns the user's run that has waited longest. */
export async function maybeFirstInQueue(db: Connection, ownerId: string): Promise<Run | undefined> {
  const { rows } = await firstInQueue(db, { ownerId });
  return rows[0] && toRun(rows[0]);
}

const firstInQueue = fixedQuery((db, { ownerId }: { ownerId: string }) =>
  db
    .selectFrom("runs")
    .select(RUN_COLUMNS)
    .where("status", "=", "queued")
    .where("owner_id", "=", ownerId)
    .orderBy("queued_at")
    .orderBy("seq")
    .limit(1),
);

/**
 * Returns the number of queued runs of the same user ahead of a run. Among runs queued at the same time, the
 * older run is ahead.
 */
export async function queuedBefore(
  db: Connection,
  { ownerId, queuedAtMs, seq }: Pick<Run, "ownerId" | "queuedAtMs" | "seq">,
): Promise<number> {
  const row = await db
    .selectFrom("runs")
    .select((count) => count.fn.countAll<number | string>().as("total"))
    .where("status", "=", "queued")
    .where("owner_id", "=", ownerId)
    .where(sql<boolean>`(queued_at, seq) < (${queuedAtMs}, ${seq})`)
    .executeTakeFirstOrThrow();
  return Number(row.total);
}

/**
 * Returns the queueing time of the longest waiting run. Looks up one run for each user with queued runs,
 * regardless of the number of queued runs.
 */
export async function maybeQueuedSinceMs(db: Connection): Promise<number | undefined> {
  const { rows } = await longestWaiting(db, {});
  const [row] = rows;
  return row === undefined || row.since === null ? undefined : Number(row.since);
}

const longestWaiting = fixedQuery((db, _: object) =>
  db
    .selectFrom("run_counts")
    .where("run_counts.status", "=", sql.lit("queued"))
    .where(sql<boolean>`run_counts.total > 0`)
    .select(
      sql<number | string | null>`min((select min(runs.queued_at) from runs
        where runs.status = 'queued' and runs.owner_id = run_counts.owner_id))`.as("since"),
    ),
);

/** Returns how many runs are queued, over all users. */
export async function countQueued(db: Connection): Promise<number> {
  return (await queueLengths(db)).reduce((sum, { queued }) => sum + queued, 0);
}
