import type { Kysely } from "kysely";
import { type Migration, migrations } from "#store/migrations/index";
import type { Tables } from "#store/tables";

/** What every function of the store takes first: the database, or a transaction that is open on it. */
export type Connection = Kysely<Tables>;

/**
 * One transaction. Inside `work` use only the connection that it is handed: SQLite has one connection, and a query on
 * the outer one would wait for this transaction for ever.
 */
export function transaction<Result>(
  db: Connection,
  work: (connection: Connection) => Promise<Result>,
): Promise<Result> {
  return db.transaction().execute(work);
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
 * update that fails half-way leaves what was there.
 */
export function migrate(
  db: Connection,
  known: Readonly<Record<string, Migration>> = migrations,
): Promise<void> {
  return transaction(db, async (connection) => {
    const done = await migrationsDone(connection);
    const unknown = [...done].filter((name) => !Object.hasOwn(known, name));
    if (unknown.length > 0) throw new NewerDatabaseError(unknown);
    for (const [name, migration] of Object.entries(known)) {
      if (done.has(name)) continue;
      await migration(connection as unknown as Kysely<unknown>);
      await connection.insertInto("migrations").values({ name }).execute();
    }
  });
}

async function migrationsDone(db: Connection): Promise<Set<string>> {
  await db.schema
    .createTable("migrations")
    .ifNotExists()
    .addColumn("name", "text", (column) => column.notNull().primaryKey())
    .execute();
  const rows = await db.selectFrom("migrations").select("name").execute();
  return new Set(rows.map((row) => row.name));
}
