import type { Kysely } from "kysely";
import { crashPoint } from "#plumbing/crash-points";
import { adapterOf } from "#store/adapter";
import type { Connection } from "#store/connection";
import { type Migration, migrations } from "#store/migrations/index";

export type { Connection } from "#store/connection";

/**
 * One transaction. Inside `work` use only the connection that it is handed: SQLite has one connection, and a query on
 * the outer one would wait for this transaction for ever. `work` may be called again when what it did was undone by the
 * database itself (two transactions that waited for each other, a connection that broke), so it changes nothing else.
 */
export function transaction<Result>(
  db: Connection,
  work: (connection: Connection) => Promise<Result>,
): Promise<Result> {
  return adapterOf(db).attempt(() => db.transaction().execute(work));
}

/** Everything that `work` reads is of one moment, however long it takes; others write meanwhile. */
export function snapshot<Result>(
  db: Connection,
  work: (connection: Connection) => Promise<Result>,
): Promise<Result> {
  return db.transaction().setAccessMode("read only").execute(work);
}

/** Throws when the database does not answer. */
export async function checkConnection(db: Connection): Promise<void> {
  await db.selectFrom("users").select("id").limit(1).execute();
}

/** Thrown when the database was written by a newer version: nothing has been changed. */
export class NewerDatabaseError extends Error {
  constructor(unknown: readonly string[]) {
    super(
      `The database was written by a newer version of Reprise (it knows ${unknown.join(", ")}, this version does not). ` +
        "Start that version, or restore a backup that was made with this one. Nothing was changed.",
    );
    this.name = "NewerDatabaseError";
  }
}

/**
 * Brings the tables up to date; safe to call twice, and by two processes at once. All of it is one transaction: an
 * update that fails half-way leaves what was there. Answers the names of the migrations that it carried out.
 */
export async function migrate(
  db: Connection,
  known: Readonly<Record<string, Migration>> = migrations,
): Promise<readonly string[]> {
  const applied = await transaction(db, (connection) => migrateWithin(connection, known));
  crashPoint("tables-migrated");
  return applied;
}

/** The same as a part of a transaction. */
export async function migrateWithin(
  connection: Connection,
  known: Readonly<Record<string, Migration>> = migrations,
): Promise<readonly string[]> {
  const { beginMigration, differences } = adapterOf(connection);
  await beginMigration(connection);
  const done = await migrationsDone(connection);
  const unknown = [...done].filter((name) => !Object.hasOwn(known, name));
  if (unknown.length > 0) throw new NewerDatabaseError(unknown);
  const missing = Object.entries(known).filter(([name]) => !done.has(name));
  for (const [name, migration] of missing) {
    await migration(connection as unknown as Kysely<unknown>, differences.columns);
    await connection.insertInto("migrations").values({ name }).execute();
    crashPoint("migration-applied");
  }
  return missing.map(([name]) => name);
}

export interface DatabaseState {
  /** Nobody has made a table yet. */
  readonly isNew: boolean;
  /** What `migrate` would carry out. */
  readonly missing: readonly string[];
  /** What a newer version of the program has carried out. */
  readonly unknown: readonly string[];
}

/** What is there; changes nothing. */
export async function inspectDatabase(
  db: Connection,
  known: Readonly<Record<string, Migration>> = migrations,
): Promise<DatabaseState> {
  const tables = await db.introspection.getTables();
  const isNew = !tables.some(({ name }) => name === "migrations");
  const done = isNew ? new Set<string>() : await doneNames(db);
  return {
    isNew,
    missing: Object.keys(known).filter((name) => !done.has(name)),
    unknown: [...done].filter((name) => !Object.hasOwn(known, name)),
  };
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
