import { sql } from "kysely";
import type { Connection } from "#store/database/database";
import { type ShadowKind, UNJUDGED_KINDS } from "#workflow/run/shadow";

/** Counts over all runs that were sent to the other server: of one user, or of all users. */
export interface WhoseShadows {
  readonly ownerId: string | undefined;
}

function shadowsOf(db: Connection, { ownerId }: WhoseShadows) {
  const all = db.selectFrom("shadows");
  return ownerId === undefined ? all : all.where("owner_id", "=", ownerId);
}

export interface CountedCause {
  readonly kind: ShadowKind;
  readonly cause: string;
  readonly runs: number;
}

/** Counts the results by cause, the most frequent first. */
export async function countCauses(db: Connection, whose: WhoseShadows): Promise<readonly CountedCause[]> {
  const rows = await shadowsOf(db, whose)
    .select(({ fn }) => ["kind", "cause", fn.countAll<number | string>().as("runs")])
    .where("kind", "is not", null)
    .groupBy(["kind", "cause"])
    .orderBy("runs", "desc")
    .orderBy("cause")
    .execute();
  return rows.map(({ kind, cause, runs }) => ({ kind: kind!, cause: cause!, runs: Number(runs) }));
}

export interface ShadowedUser {
  readonly ownerId: string;
  readonly compared: number;
  /** Number of runs without a result. */
  readonly open: number;
}

/** Counts the runs of each user. */
export async function countByUser(db: Connection, whose: WhoseShadows): Promise<readonly ShadowedUser[]> {
  const isCompared = sql`kind is not null and kind not in (${sql.join(UNJUDGED_KINDS.map((kind) => sql.lit(kind)))})`;
  const rows = await shadowsOf(db, whose)
    .select([
      "owner_id",
      sql<number | string>`sum(case when ${isCompared} then 1 else 0 end)`.as("compared"),
      sql<number | string>`sum(case when kind is null then 1 else 0 end)`.as("open"),
    ])
    .groupBy("owner_id")
    .execute();
  return rows.map((row) => ({
    ownerId: row.owner_id,
    compared: Number(row.compared),
    open: Number(row.open),
  }));
}

/** Returns the kinds of the newest compared runs of each user, by the id of the user. */
export async function newestKinds(
  db: Connection,
  whose: WhoseShadows,
  most: number,
): Promise<ReadonlyMap<string, readonly ShadowKind[]>> {
  const place = sql<
    number | string
  >`row_number() over (partition by owner_id order by created_at desc, run_id)`;
  const compared = shadowsOf(db, whose)
    .select(["owner_id", "kind", place.as("place")])
    .where("kind", "is not", null)
    .where("kind", "not in", [...UNJUDGED_KINDS]);
  const rows = await db
    .selectFrom(compared.as("compared"))
    .select(["owner_id", "kind"])
    .where("place", "<=", most)
    .execute();
  const byUser = Map.groupBy(rows, (row) => row.owner_id);
  return new Map([...byUser].map(([owner, all]) => [owner, all.map(({ kind }) => kind!)]));
}

/** A problem with copies on the other server. */
export interface ShadowProblem {
  readonly problem: string;
  readonly runs: number;
  /** Time of the next attempt. */
  readonly nextAtMs: number;
}

/** Returns the problems of the last attempts, the most frequent first. */
export async function countProblems(db: Connection, whose: WhoseShadows): Promise<readonly ShadowProblem[]> {
  const rows = await shadowsOf(db, whose)
    .select(({ fn }) => [
      "problem",
      fn.countAll<number | string>().as("runs"),
      fn.min<number | string | null>("due_at").as("next_at"),
    ])
    .where("problem", "is not", null)
    .where("due_at", "is not", null)
    .groupBy("problem")
    .orderBy("runs", "desc")
    .execute();
  return rows.map((row) => ({
    problem: row.problem!,
    runs: Number(row.runs),
    nextAtMs: Number(row.next_at),
  }));
}

/** Returns the ids of users who have switched the copies off. */
export async function unshadowedUsers(db: Connection): Promise<readonly string[]> {
  const rows = await db
    .selectFrom("users")
    .select("id")
    .where("unshadowed_at", "is not", null)
    .where("deleted_at", "is", null)
    .execute();
  return rows.map(({ id }) => id);
}
