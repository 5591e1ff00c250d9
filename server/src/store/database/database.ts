import type { Kysely } from "kysely";
import { systemClock } from "#plumbing/clock";
import { crashPoint } from "#plumbing/crash-points";
import { adapterOf } from "#store/database/adapter";
import type { Connection } from "#store/database/connection";
import type { DatabaseLoad } from "#store/database/load";
import { isUnreleased, type Migration, migrations, onlyAdds } from "#store/migrations/index";

export type { Connection } from "#store/database/connection";

/**
 * Runs `work` in one transaction. Inside `work`, use only the connection passed in: SQLite has a single
 * connection, and a query on the outer connection would wait for this transaction forever. `work` may be
 * called again after the database undid its changes (a deadlock, a broken connection), and must therefore
 * have no further side effects.
 */
export async function transaction<Result>(
  db: Connection,
  work: (connection: Connection) => Promise<Result>,
): Promise<Result> {
  const { load } = adapterOf(db);
  const beganAtMs = systemClock.elapsedMs();
  try {
    return await adapterOf(db).attempt(() => db.transaction().execute(work));
  } finally {
    load.noteTransaction(systemClock.elapsedMs() - beganAtMs);
  }
}

/** Runs `work` on a consistent read-only snapshot. Concurrent transactions can write during `work`. */
export function snapshot<Result>(
  db: Connection,
  work: (connection: Connection) => Promise<Result>,
): Promise<Result> {
  return db.transaction().setAccessMode("read only").execute(work);
}

/** Returns the cost of all queries by the process so far. */
export function loadOf(db: Connection): DatabaseLoad {
  return adapterOf(db).load;
}

/** Returns the size of the database on its disk. */
export function databaseBytes(db: Connection): Promise<number> {
  return adapterOf(db).bytes(db);
}

/** Throws if the database does not respond. */
export async function checkConnection(db: Connection): Promise<void> {
  await db.selectFrom("users").select("id").limit(1).execute();
}

/** Thrown if the database was written by a version with other tables. Nothing has been changed. */
export class OtherDatabaseError extends Error {
  constructor(unknown: readonly string[]) {
    super(`${refusalOf(unknown)} Nothing was changed.`);
    this.name = "OtherDatabaseError";
  }
}

/** Returns why this version cannot use a database with unknown migrations. */
function refusalOf(unknown: readonly string[]): string {
  const known = `it knows ${unknown.join(", ")}, this version does not`;
  if (unknown.some(isUnreleased))
    return (
      `The database was made by an unreleased version of Reprise with other tables (${known}). Download what you need ` +
      "with that version, and start this one with an empty data folder and database."
    );
  return (
    `The database was written by a newer version of Reprise (${known}). ` +
    "Start that version, or restore a backup that was made with this one."
  );
}

/**
 * Brings the tables up to date in one transaction: a failed update leaves the database unchanged. Safe to call twice,
 * and by two processes at the same time. Returns the names of the migrations that it applied.
 */
export async function migrate(
  db: Connection,
  known: Readonly<Record<string, Migration>> = migrations,
): Promise<readonly string[]> {
  const applied = await transaction(db, (connection) => migrateWithin(connection, known));
  crashPoint("tables-migrated");
  return applied;
}

/** Migrates within a transaction already open. */
export async function migrateWithin(
  connection: Connection,
  known: Readonly<Record<string, Migration>> = migrations,
): Promise<readonly string[]> {
  const { beginMigration, differences } = adapterOf(connection);
  await beginMigration(connection);
  const done = await migrationsDone(connection);
  const breaking = unknownOf(done, known).filter((name) => !onlyAdds(name));
  if (breaking.length > 0) throw new OtherDatabaseError(breaking);
  const missing = Object.entries(known).filter(([name]) => !done.has(name));
  for (const [name, migration] of missing) {
    await migration(connection as unknown as Kysely<unknown>, differences.columns);
    await connection.insertInto("migrations").values({ name }).execute();
    crashPoint("migration-applied");
  }
  return missing.map(([name]) => name);
}

export interface DatabaseState {
  /** True if no table has been created yet. */
  readonly isNew: boolean;
  /** Migrations to be applied by `migrate`. */
  readonly missing: readonly string[];
  /** The migrations that another version of the program has applied. */
  readonly unknown: readonly string[];
  /** Why this version cannot use the database. Optional: absent if the version fits. */
  readonly refusal?: string;
}

/** Reports the applied and the missing migrations. Changes nothing. */
export async function inspectDatabase(
  db: Connection,
  known: Readonly<Record<string, Migration>> = migrations,
): Promise<DatabaseState> {
  const tables = await db.introspection.getTables();
  const isNew = !tables.some(({ name }) => name === "migrations");
  const done = isNew ? new Set<string>() : await doneNames(db);
  const unknown = unknownOf(done, known);
  const breaking = unknown.filter((name) => !onlyAdds(name));
  return {
    isNew,
    missing: Object.keys(known).filter((name) => !done.has(name)),
    unknown,
    ...(breaking.length > 0 && { refusal: refusalOf(breaking) }),
  };
}

function unknownOf(done: ReadonlySet<string>, known: Readonly<Record<string, Migration>>): readonly string[] {
  return [...done].filter((name) => !Object.hasOwn(known, name));
}

async function migrationsDone(db: Connection): Promise<Set<string>> {
  await db.schema
    .createTable("migrations")
    .ifNotExists()
    .addColumn("name", "text", (column) => column.notNull().primaryKey())
    .execute();
  return doneNames(db);
}

async function doneNames(db: Connection): Promise<Set<string>> {
  const rows = await db.selectFrom("migrations").select("name").execute();
  return new Set(rows.map((row) => row.name));
}
