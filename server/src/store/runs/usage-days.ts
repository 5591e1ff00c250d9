import { type Expression, sql } from "kysely";
import type { Connection } from "#store/database/database";
import { fixedQuery } from "#store/database/fixed-query";
import { LIVE_STATUSES } from "#workflow/run/run-status";

/**
 * The usage of runs and notebooks, by user and day (days since 1970, UTC). Each counts on the day on which it ended. A
 * notebook has only processor time.
 */
export interface DayOfUse extends Used {
  readonly userId: string;
  readonly day: number;
}

export interface Used {
  /** Processor time of the jobs, and of the engines that evaluated expressions for the runs. */
  readonly cpuMs: number;
  /** Time from the starts of the runs to their ends. */
  readonly wallMs: number;
  readonly runs: number;
}

const cpuOfRun = sql<number>`cpu_ms + engine_cpu_ms`;
const endedAt = sql<number>`coalesce(finished_at, stopped_at)`;
const dayOfEnd = sql<number>`coalesce(finished_at, stopped_at) / 86400000`;
const COLUMNS = ["user_id", "day", "cpu_ms", "wall_ms", "runs"] as const;
const KEY = ["user_id", "day"] as const;
const ADDED = {
  cpu_ms: sql<number>`usage_days.cpu_ms + excluded.cpu_ms`,
  wall_ms: sql<number>`usage_days.wall_ms + excluded.wall_ms`,
  runs: sql<number>`usage_days.runs + excluded.runs`,
};

const addRow = fixedQuery((db, { runId }: { runId: string }) =>
  db
    .insertInto("usage_days")
    .columns(COLUMNS)
    .expression(
      db
        .selectFrom("runs")
        .select(["owner_id", dayOfEnd.as("day"), cpuOfRun.as("cpu_ms")])
        .select([sql<number>`${endedAt} - started_at`.as("wall_ms"), sql<number>`1`.as("runs")])
        .where("id", "=", runId)
        .where("started_at", "is not", null),
    )
    .onConflict((conflict) => conflict.columns(KEY).doUpdateSet(ADDED)),
);

/** Adds a run's use to the totals of the owner. Must run once, in the transaction recording the end. */
export async function countUseOf(db: Connection, runId: string): Promise<void> {
  await addRow(db, { runId });
}

const addToEngineTime = fixedQuery((db, { runId, ms }: { runId: string; ms: number }) =>
  db
    .updateTable("runs")
    .set((column) => ({ engine_cpu_ms: column("engine_cpu_ms", "+", ms) }))
    .where("id", "=", runId),
);

/** Adds processor time that the engine has used for a run. */
export async function addEngineTime(db: Connection, runId: string, ms: number): Promise<void> {
  await addToEngineTime(db, { runId, ms });
}

/** Adds to the totals of a user. */
export async function countUse(
  db: Connection,
  { userId, day, cpuMs, wallMs, runs }: DayOfUse,
): Promise<void> {
  await db
    .insertInto("usage_days")
    .values({ user_id: userId, day, cpu_ms: cpuMs, wall_ms: wallMs, runs })
    .onConflict((conflict) => conflict.columns(KEY).doUpdateSet(ADDED))
    .execute();
}

const cpuOfOwner = fixedQuery((db, { ownerId, fromDay }: { ownerId: string; fromDay: number }) => {
  const sumOf = (what: Expression<number>) => sql<number | string>`coalesce(sum(${what}), 0)`;
  const ended = db
    .selectFrom("usage_days")
    .select(sumOf(sql`cpu_ms`).as("ended"))
    .where("user_id", "=", ownerId)
    .where("day", ">=", fromDay);
  const live = db
    .selectFrom("runs")
    .select(sumOf(cpuOfRun).as("live"))
    .where("owner_id", "=", ownerId)
    .where("status", "in", LIVE_STATUSES);
  // A single statement: a run that ends between two would count twice, or not at all.
  return db.selectNoFrom(sql<number | string>`(${ended}) + (${live})`.as("total"));
});

/**
 * Returns the processor time of a user's jobs that have ended, and of the engines of the user's runs: of live runs, and
 * of runs that ended on this day or later. Reads a row for each day with ended runs, and the live runs.
 */
export async function cpuMsOfOwner(db: Connection, ownerId: string, fromDay = 0): Promise<number> {
  const { rows } = await cpuOfOwner(db, { ownerId, fromDay });
  return Number(rows[0]?.total ?? 0);
}

/**
 * Returns the wall clock of a user's runs: runs ended on the given day or later, and live runs since their
 * starts.
 */
export async function wallMsOfOwner(
  db: Connection,
  ownerId: string,
  { fromDay = 0, nowMs }: { readonly fromDay?: number | undefined; readonly nowMs: number },
): Promise<number> {
  const ended = db
    .selectFrom("usage_days")
    .select(sql<number | string>`coalesce(sum(wall_ms), 0)`.as("ended"))
    .where("user_id", "=", ownerId)
    .where("day", ">=", fromDay);
  const live = db
    .selectFrom("runs")
    .select(sql<number | string>`coalesce(sum(${sql.lit(nowMs)} - started_at), 0)`.as("live"))
    .where("owner_id", "=", ownerId)
    .where("started_at", "is not", null)
    .where("status", "in", LIVE_STATUSES);
  const row = await db
    .selectNoFrom(sql<number | string>`(${ended}) + (${live})`.as("total"))
    .executeTakeFirst();
  return Math.max(0, Number(row?.total ?? 0));
}

/**
 * Returns the days with ended runs, in the order of users and days. Includes all users if `userId` is absent.
 */
export async function daysOfUse(
  db: Connection,
  {
    userId,
    fromDay,
    toDay,
  }: { readonly userId?: string | undefined; readonly fromDay: number; readonly toDay: number },
): Promise<DayOfUse[]> {
  const rows = await db
    .selectFrom("usage_days")
    .select(COLUMNS)
    .$if(userId !== undefined, (query) => query.where("user_id", "=", userId!))
    .where("day", ">=", fromDay)
    .where("day", "<=", toDay)
    .orderBy("user_id")
    .orderBy("day")
    .execute();
  return rows.map((row) => ({
    userId: row.user_id,
    day: row.day,
    cpuMs: row.cpu_ms,
    wallMs: row.wall_ms,
    runs: row.runs,
  }));
}

/** Computes the same days from the rows of all runs and notebooks: the truth that the totals must equal. */
export async function recountDaysOfUse(db: Connection): Promise<DayOfUse[]> {
  const ofRuns = db
    .selectFrom("runs")
    .select(["owner_id as user_id", dayOfEnd.as("day"), cpuOfRun.as("cpu_ms")])
    .select([sql<number>`${endedAt} - started_at`.as("wall_ms"), sql<number>`1`.as("runs")])
    .where(endedAt, "is not", null)
    .where("started_at", "is not", null);
  const ofNotebooks = db
    .selectFrom("ended_notebooks")
    .select(["user_id", sql<number>`ended_at / 86400000`.as("day"), "cpu_ms"])
    .select([sql<number>`0`.as("wall_ms"), sql<number>`0`.as("runs")]);
  const rows = await db
    .selectFrom(ofRuns.unionAll(ofNotebooks).as("uses"))
    .select((expression) => [
      "user_id" as const,
      "day" as const,
      expression.fn.sum<number | string>("cpu_ms").as("cpu_ms"),
      expression.fn.sum<number | string>("wall_ms").as("wall_ms"),
      expression.fn.sum<number | string>("runs").as("runs"),
    ])
    .groupBy(KEY)
    .orderBy("user_id")
    .orderBy("day")
    .execute();
  return rows.map((row) => ({
    userId: row.user_id,
    day: row.day,
    cpuMs: Number(row.cpu_ms),
    wallMs: Number(row.wall_ms),
    runs: Number(row.runs),
  }));
}
