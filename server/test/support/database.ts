import path from "node:path";
import type { Clock } from "#plumbing/clock";
import { type Connection, migrate } from "#store/database/database";
import { openSqlite } from "#store/dialects/sqlite";
import type { StoreUnderTest } from "#store/store-suite";

/**
 * True if the tests run on PostgreSQL. Tests that cross rooms run on SQLite; those that `vitest.config.ts` names run
 * once more on PostgreSQL. The tests themselves do not differ.
 */
export const ON_POSTGRES = process.env["REPRISE_TEST_DATABASE"] === "PostgreSQL";

/** Opens an empty database with its tables. SQLite uses the given clock; PostgreSQL uses its own time. */
export async function openDatabaseUnderTest(clock?: Clock): Promise<StoreUnderTest> {
  if (ON_POSTGRES) return (await import("#store/store-suite")).openInPostgres();
  const db = openSqlite(":memory:", "normal", clock);
  await migrate(db);
  return { db, close: () => db.destroy() };
}

/** Database URLs by data folder. */
const databases = new Map<string, Promise<string>>();

/** Returns the environment that selects the database of a data folder: the same database at each start. */
export async function databaseSetting(dataFolder: string): Promise<Record<string, string>> {
  if (!ON_POSTGRES) return {};
  const known = databases.get(dataFolder) ?? makeDatabase();
  databases.set(dataFolder, known);
  return { REPRISE_DATABASE: await known };
}

/** Creates a database without tables: the server creates them itself. */
async function makeDatabase(): Promise<string> {
  const { makeDatabase: make } = await import("#store/dialects/postgres-databases-suite");
  return make("template1");
}

/** Opens the database of a stopped server, to look at its rows. */
export async function openDatabaseOf(dataFolder: string): Promise<Connection> {
  const { REPRISE_DATABASE: url } = await databaseSetting(dataFolder);
  if (url === undefined) return openSqlite(path.join(dataFolder, "reprise.sqlite"), "normal");
  return (await import("#store/dialects/postgres")).openPostgres(url);
}
