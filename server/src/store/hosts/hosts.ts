import { type RawBuilder, sql } from "kysely";
import type { Connection } from "#store/database/database";
import { databaseTime } from "#store/database/database-time";
import { DRIVEN_STATUSES } from "#workflow/run/run-status";

/**
 * A host is a data folder on a machine together with its server: the place of the jobs' processes. A host
 * proves to be alive by renewing its row. The database's clock sets the time, so clocks of different machines
 * are never compared.
 */
export interface Host {
  readonly id: string;
  /** The machine's human-readable name. */
  readonly name: string;
  readonly seenAtMs: number;
}

/** A place of jobs outside all hosts: the name of the backend, and its token, which names the folder of the jobs. */
export interface JobPlaceOutside {
  readonly backend: string;
  readonly hostToken: string;
}

/** The facts that a host registers about itself. */
export interface NewHost extends Pick<Host, "id" | "name"> {
  /** Identifies the shared folder of the server. Null if the files of runs are in its own data folder. */
  readonly sharedId?: string | null;
  /** Where the servers of the shared folder reach this one: `10.0.0.5:7071`. If absent, an earlier address stays. */
  readonly address?: string;
  readonly places?: readonly JobPlaceOutside[];
}

/** Time of silence before other hosts take over a host's runs. */
export const LEASE_MS = 30_000;

/**
 * Registers the host as present, and withdraws any declaration of loss. The host must still end the jobs
 * given up during its silence (`mustEndJobs`).
 */
export async function registerHost(
  db: Connection,
  { id, name, sharedId = null, address, places = [] }: NewHost,
): Promise<void> {
  const now = databaseTime(db);
  const row = { name, seen_at: now, places: places.map(placeText).join(""), shared_id: sharedId };
  const reached = address === undefined ? row : { ...row, address };
  await db
    .insertInto("hosts")
    .values({ id, ...reached })
    .onConflict((conflict) => conflict.column("id").doUpdateSet({ ...reached, declared_lost_at: null }))
    .execute();
}

function placeText({ backend, hostToken }: JobPlaceOutside): string {
  return `,${backend}:${hostToken},`;
}

/** True if the server of a host can reach the place of a job outside. */
export function reaches(host: RawBuilder<unknown>): RawBuilder<boolean> {
  return sql<boolean>`${host}.places like '%,' || jobs.backend || ':' || jobs.host_token || ',%'`;
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

/** Signs the host off: other hosts need not wait for the lease to expire. */
export async function signOffHost(db: Connection, id: string): Promise<void> {
  await db.updateTable("hosts").set({ seen_at: 0 }).where("id", "=", id).execute();
}

/**
 * Records a person's declaration that the host is lost: its jobs count as lost, and its runs continue
 * elsewhere. Returns false, without a change, if the host is unknown or present. The first declaration
 * counts.
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

/** Records that the host has ended its given-up jobs, unless the host was declared lost again. */
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
  /** Number of pending and running runs held by the host. */
  readonly runs: number;
  /** Number of running jobs visible only to this host. */
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

/** Where the server of a host is reached by the others. */
export interface HostAddress extends Host {
  readonly isPresent: boolean;
  readonly isLost: boolean;
  readonly address: string | null;
}

/** Returns where a host is reached. Undefined if the database does not know the host. */
export async function maybeHostAddress(db: Connection, id: string): Promise<HostAddress | undefined> {
  const row = await hostAddresses(db).where("id", "=", id).executeTakeFirst();
  return row && toAddress(row);
}

/** Returns the present hosts without this host. */
export async function presentOthers(db: Connection, id: string): Promise<HostAddress[]> {
  const rows = await hostAddresses(db).where("id", "<>", id).where(isPresent(db)).execute();
  return rows.map(toAddress);
}

function hostAddresses(db: Connection) {
  return db
    .selectFrom("hosts")
    .select(["id", "name", "seen_at", "declared_lost_at", "address"])
    .select(sql<number>`case when ${isPresent(db)} then 1 else 0 end`.as("is_present"));
}

function toAddress(
  row: Awaited<ReturnType<ReturnType<typeof hostAddresses>["executeTakeFirstOrThrow"]>>,
): HostAddress {
  const { id, name, address } = row;
  const isLost = row.declared_lost_at !== null;
  return { id, name, address, seenAtMs: row.seen_at, isPresent: row.is_present === 1, isLost };
}

export interface HostCounts {
  readonly total: number;
  readonly present: number;
}

/** Counts the hosts not signed off, and the present hosts. */
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

/** Expression for a query: true for hosts that were seen recently and are not declared lost. */
export function isPresent(db: Connection): RawBuilder<boolean> {
  return sql<boolean>`(hosts.declared_lost_at is null and hosts.seen_at > ${databaseTime(db)} - ${sql.lit(LEASE_MS)})`;
}
