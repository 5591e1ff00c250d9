import { Kysely } from "kysely";
import { Migrator } from "kysely/migration";
import { migrations } from "#store/migrations/index";
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

/** Brings the tables up to date; safe to call twice. */
export async function migrate(db: Connection): Promise<void> {
  const migrator = new Migrator({ db, provider: { getMigrations: async () => migrations } });
  await refuseNewer(db);
  const { error } = await migrator.migrateToLatest();
  if (error) throw error;
}

async function refuseNewer(db: Connection): Promise<void> {
  const tables = await db.introspection.getTables({ withInternalKyselyTables: true });
  if (!tables.some((table) => table.name === "kysely_migration")) return;
  const rows = await (db as unknown as Kysely<{ kysely_migration: { name: string } }>)
    .selectFrom("kysely_migration")
    .select("name")
    .execute();
  const unknown = rows.map((row) => row.name).filter((name) => !(name in migrations));
  if (unknown.length > 0) throw new NewerDatabaseError(unknown);
}
