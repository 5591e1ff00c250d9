import { mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { systemRandom } from "#plumbing/ids";
import { type Connection, migrate, transaction } from "#store/database/database";
import { openPostgres } from "#store/dialects/postgres";
import { openTestDatabase } from "#store/dialects/postgres-databases-suite";
import { hasPostgres } from "#store/dialects/postgres-server-suite";
import { type Durability, openSqlite } from "#store/dialects/sqlite";
import { changeJobs, type JobChanges } from "#store/jobs/change-jobs";
import type { NewJob } from "#store/jobs/new-jobs";
import { insertUser, type User } from "#store/users/users";
import { moveRun } from "#store/runs/move-run";
import { insertRun, type NewRun, oneRun, type Run } from "#store/runs/runs";
import type { JobEnd } from "#workflow/job/job";
import type { Actor, RunStatus } from "#workflow/run/run-status";

/** A dialect to test: each store test runs for every dialect in this table. */
export interface DialectUnderTest {
  readonly name: string;
  /** Opens an empty database with all tables. */
  open(): Promise<StoreUnderTest>;
}

export interface StoreUnderTest {
  readonly db: Connection;
  close(): Promise<void>;
}

export const DIALECTS: readonly DialectUnderTest[] = [
  { name: "SQLite in memory", open: () => openMigrated(":memory:", "normal") },
  { name: "SQLite in a file", open: () => openInFolder("normal") },
  { name: "SQLite in a file that is synced", open: () => openInFolder("full") },
  // If PostgreSQL is not installed, `dialects/postgres.test.ts` says so.
  ...(hasPostgres() ? [{ name: "PostgreSQL", open: openInPostgres }] : []),
];

async function openMigrated(file: string, durability: Durability): Promise<StoreUnderTest> {
  const db = openSqlite(file, durability);
  await migrate(db);
  return { db, close: () => db.destroy() };
}

async function openInFolder(durability: Durability): Promise<StoreUnderTest> {
  const folder = await mkdtemp(path.join(os.tmpdir(), "reprise-store-"));
  const store = await openMigrated(path.join(folder, "store.sqlite"), durability);
  const close = async () => {
    await store.close();
    await rm(folder, { recursive: true });
  };
  return { db: store.db, close };
}

export async function openInPostgres(): Promise<StoreUnderTest> {
  const database = await openTestDatabase();
  const db = openPostgres(database.url);
  const close = async () => {
    await db.destroy();
    await database.giveBack();
  };
  return { db, close };
}

export async function addUser(db: Connection, change: Partial<User> = {}): Promise<User> {
  const id = systemRandom.uuid();
  const user = {
    id,
    email: `${id}@example.org`,
    isAdmin: false,
    disabledAtMs: null,
    createdAtMs: 0,
    ...change,
  };
  await insertUser(db, user);
  return user;
}

export function newRun(ownerId: string, change: Partial<NewRun> = {}): NewRun {
  return {
    id: systemRandom.uuid(),
    ownerId,
    workspaceId: systemRandom.uuid(),
    name: "w",
    language: "serial",
    specification: { workflow: { type: "serial", specification: { steps: [{ commands: ["true"] }] } } },
    launcherUrl: null,
    createdAtMs: 1000,
    ...change,
  };
}

/** Returns the job of a run at a position. Every position has a different id and key. */
export function newJob(runId: string, ordinal: number, change: Partial<NewJob> = {}): NewJob {
  return {
    id: systemRandom.uuid(),
    runId,
    ordinal,
    key: `key-${ordinal}`,
    attempt: 1,
    name: "",
    command: "true",
    node: "0",
    image: null,
    status: "running",
    backend: "Local",
    hostId: "host",
    hostToken: "boot",
    createdAtMs: 100,
    decision: null,
    memoryLimitBytes: null,
    ...change,
  };
}

/** Adds a run and moves it to `status` by the shortest path. */
export async function addRun(
  db: Connection,
  ownerId: string,
  { status = "created", ...change }: Partial<NewRun> & { status?: RunStatus } = {},
): Promise<Run> {
  const run = newRun(ownerId, change);
  await transaction(db, async (connection) => {
    await insertRun(connection, run);
    for (const [to, by] of WAY_TO[status]) {
      await moveRun(connection, { runId: run.id, to, by, atMs: 2000 });
    }
  });
  return oneRun(db, run.id);
}

const QUEUED = [["queued", "user"]] as const;
const PENDING = [...QUEUED, ["pending", "scheduler"]] as const;
const RUNNING = [...PENDING, ["running", "runner"]] as const;

const WAY_TO: Readonly<Record<RunStatus, readonly (readonly [RunStatus, Actor])[]>> = {
  created: [],
  queued: QUEUED,
  pending: PENDING,
  running: RUNNING,
  finished: [...RUNNING, ["finished", "runner"]],
  failed: [...RUNNING, ["failed", "runner"]],
  stopped: [...QUEUED, ["stopped", "user"]],
  deleted: [["deleted", "user"]],
};

/** Changes jobs in the open transaction, or else in a separate transaction. */
export function alterJobs(db: Connection, runId: string, changes: JobChanges): Promise<ReadonlySet<string>> {
  const change = (connection: Connection) => changeJobs(connection, runId, changes);
  return db.isTransaction ? change(db) : transaction(db, change);
}

export async function insertJob(db: Connection, job: NewJob): Promise<void> {
  await alterJobs(db, job.runId, { issued: [job] });
}

/** Returns whether the job had not ended before. */
export async function endJob(db: Connection, id: string, end: JobEnd, seq: number): Promise<boolean> {
  const row = await db.selectFrom("jobs").select("run_id").where("id", "=", id).executeTakeFirst();
  return (await alterJobs(db, row?.run_id ?? "unknown", { ended: [{ id, end, seq }] })).has(id);
}
