import { sql } from "kysely";
import type { Connection } from "#store/database/database";
import { databaseTime } from "#store/database/database-time";
import { RUN_COLUMNS, type Run, toRun } from "#store/runs/runs";

/**
 * Which ended runs are still to be indexed. A server claims one run at a time, by its row, and renews the claim with each
 * part that it writes. The claim of a server that died expires.
 */
const CLAIM_MS = 60_000;

/** The exact wording of an index. The planner would not use the index for any other wording. */
const isToIndex = sql<boolean>`indexed_at is null and coalesce(finished_at, stopped_at) is not null`;

/** A run claimed for indexing. The time of the claim proves that the claim is still held. */
export interface ClaimedRun {
  readonly run: Run;
  readonly claimedAt: number;
}

/** Claims a run to be indexed: the newest one of an owner, or any run. Returns undefined if no run is left. */
export async function maybeClaimRun(db: Connection, ownerId?: string): Promise<ClaimedRun | undefined> {
  const isFree = sql<boolean>`coalesce(index_claimed_at, 0) < ${databaseTime(db)} - ${sql.lit(CLAIM_MS)}`;
  const next = db
    .selectFrom("runs")
    .select("seq")
    .where(isToIndex)
    .where(isFree)
    // Without an owner any run will do: an order would read all runs that are left.
    .$if(ownerId !== undefined, (query) => query.where("owner_id", "=", ownerId!).orderBy("seq", "desc"))
    .limit(1);
  const row = await db
    .updateTable("runs")
    .set({ index_claimed_at: databaseTime(db) })
    .where("seq", "=", next)
    .where(isToIndex)
    .where(isFree)
    .returning([...RUN_COLUMNS, "index_claimed_at"])
    .executeTakeFirst();
  return row && { run: toRun(row), claimedAt: row.index_claimed_at! };
}

/** Renews a claim. Returns undefined if another server has claimed the run since. */
export async function maybeRenewedClaim(
  db: Connection,
  { run, claimedAt }: ClaimedRun,
): Promise<ClaimedRun | undefined> {
  const row = await db
    .updateTable("runs")
    .set({ index_claimed_at: databaseTime(db) })
    .where("seq", "=", run.seq)
    .where("index_claimed_at", "=", claimedAt)
    .where("indexed_at", "is", null)
    .returning("index_claimed_at")
    .executeTakeFirst();
  return row && { run, claimedAt: row.index_claimed_at! };
}

/** Gives a claim back, for another server to take at once. */
export async function releaseClaim(db: Connection, { run, claimedAt }: ClaimedRun): Promise<void> {
  await db
    .updateTable("runs")
    .set({ index_claimed_at: null })
    .where("seq", "=", run.seq)
    .where("index_claimed_at", "=", claimedAt)
    .execute();
}

/** Records that all files of a run are in the index. */
export async function markIndexed(db: Connection, runSeq: number, atMs: number): Promise<void> {
  await db
    .updateTable("runs")
    .set({ indexed_at: atMs, index_claimed_at: null })
    .where("seq", "=", runSeq)
    .execute();
}

/** Returns how many ended runs of an owner are still to be indexed. */
export async function countRunsToIndex(db: Connection, ownerId: string): Promise<number> {
  const row = await db
    .selectFrom("runs")
    .select((is) => is.fn.countAll<number | string>().as("total"))
    .where(isToIndex)
    .where("owner_id", "=", ownerId)
    .executeTakeFirstOrThrow();
  return Number(row.total);
}
