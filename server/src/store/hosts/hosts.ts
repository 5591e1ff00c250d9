import { type RawBuilder, sql } from "kysely";
import type { Connection } from "#store/database/database";
import { databaseTime } from "#store/database/database-time";
import { DRIVEN_STATUSES } from "#workflow/run/run-status";

/**
 * A host is a data folder on some machine together with the server that uses it: the place where the processes of its
 * jobs run. A host shows that it is alive by renewing its row. The database's clock sets the time, so that the clocks
 * of two machines are never compared.
 */
export interface Host {
  readonly id: string;
  /** The machine's human-readable name. */
  readonly name: string;
  readonly seenAtMs: number;
}

/** Time of silence after which other hosts take over a host's runs. */
export const LEASE_MS = 30_000;

/**
 * Registers the host as present, and withdraws a declaration that it was lost. The host still has to end the jobs that
 * were given up while it was silent (`mustEndJobs`).
 */
export async function registerHost(db: Connection, host: Pick<Host, "id" | "name">): Promise<void> {
  const now = databaseTime(db);
  await db
    .insertInto("hosts")
    .values({ id: host.id, name: host.name, seen_at: now })
    .onConflict((conflict) =>
      conflict.column("id").doUpdateSet({ name: host.name, seen_at: now, declared_lost_at: null }),
    )
    .execute();
}

/** Renews the host's row. Returns false if the host has been declared lost: its runs may belong to another host. */
export async function renewHost(db: Connection, id: string): Promise<boolean> {
  const result = await db
    .updateTable("hosts")
    .set({ seen_at: databaseTime(db) })
    .where("id", "=", id)
    .where("declared_lost_at", "is", null)
    .executeTakeFirst();
  return result.numUpdatedRows === 1n;
}

/** Signs the host off, so that other hosts need not wait for its lease to expire. */
export async function signOffHost(db: Connection, id: string): Promise<void> {
  await db.updateTable("hosts").set({ seen_at: 0 }).where("id", "=", id).execute();
}

/**
 * Records that a person has declared the host lost: its jobs count as lost, and its runs continue elsewhere. Returns
 * false, without a change, if there is no such host or it is present. The first declaration counts.
 */
export async function declareHostLost(db: Connection, id: string): Promise<boolean> {
  const result = await db
    .updateTable("hosts")
    .set({
      declared_lost_at: sql<number>`coalesce(declared_lost_at, ${databaseTime(db)})`,
      must_end_jobs: 1,
    })
    .where("id", "=", id)
    .where(sql<boolean>`not ${isPresent(db)}`)
    .executeTakeFirst();
  return result.numUpdatedRows === 1n;
}

/** Returns whether the host was declared lost and has not ended yet what was given up then. */
export async function mustEndJobs(db: Connection, id: string): Promise<boolean> {
  const row = await db
    .selectFrom("hosts")
    .select("id")
    .where("id", "=", id)
    .where("must_end_jobs", "=", 1)
    .executeTakeFirst();
  return row !== undefined;
}

/** Records that the host has ended the jobs that were given up, unless it was declared lost once more. */
export async function noteJobsEnded(db: Connection, id: string): Promise<void> {
  await db
    .updateTable("hosts")
    .set({ must_end_jobs: 0 })
    .where("id", "=", id)
    .where("declared_lost_at", "is", null)
    .execute();
}

export interface KnownHost extends Host {
  readonly isPresent: boolean;
  readonly declaredLostAtMs: number | null;
  /** Number of pending and running runs that it holds. */
  readonly runs: number;
  /** Number of running jobs that only this host can see. */
  readonly jobs: number;
}

/** Returns all hosts that ever used the database, by name. */
export async function listHosts(db: Connection): Promise<KnownHost[]> {
  const rows = await db
    .selectFrom("hosts")
    .select((from) => [
      "id",
      "name",
      "seen_at",
      "declared_lost_at",
      sql<number | boolean>`case when ${isPresent(db)} then 1 else 0 end`.as("is_present"),
      from
        .selectFrom("runs")
        .select(({ fn }) => fn.countAll<number | string>().as("total"))
        .whereRef("runs.held_by", "=", "hosts.id")
        .where("runs.status", "in", DRIVEN_STATUSES)
        .as("runs"),
      from
        .selectFrom("jobs")
        .select(({ fn }) => fn.countAll<number | string>().as("total"))
        .whereRef("jobs.host_id", "=", "hosts.id")
        .where("jobs.status", "=", "running")
        .as("jobs"),
    ])
    .orderBy("name")
    .orderBy("id")
    .execute();
  return rows.map((row) => ({
    id: row.id,
    name: row.name,
    seenAtMs: row.seen_at,
    isPresent: Boolean(row.is_present),
    declaredLostAtMs: row.declared_lost_at,
    runs: Number(row.runs),
    jobs: Number(row.jobs),
  }));
}

/** Returns the host if it has been silent for longer than the lease. */
export async function maybeSilentHost(db: Connection, id: string | null): Promise<Host | undefined> {
  if (id === null) return undefined;
  const row = await db
    .selectFrom("hosts")
    .select(["id", "name", "seen_at"])
    .where("id", "=", id)
    .where(sql<boolean>`not ${isPresent(db)}`)
    .executeTakeFirst();
  return row && { id: row.id, name: row.name, seenAtMs: row.seen_at };
}

/** Expression for a query: true for hosts that were seen recently and are not declared lost. */
export function isPresent(db: Connection): RawBuilder<boolean> {
  return sql<boolean>`(hosts.declared_lost_at is null and hosts.seen_at > ${databaseTime(db)} - ${sql.lit(LEASE_MS)})`;
}
