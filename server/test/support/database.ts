import path from "node:path";
import type { Clock } from "#plumbing/clock";
import { type Connection, migrate } from "#store/database";
import { openSqlite } from "#store/dialects/sqlite";
import type { StoreUnderTest } from "#store/store-suite";

/**
 * Tests that cross rooms run on SQLite; those that `vitest.config.ts` names run once more on PostgreSQL. Nothing of it
 * stands in the tests themselves.
 */
const ON_POSTGRES = process.env["REPRISE_TEST_DATABASE"] === "PostgreSQL";

/** An empty database with its tables. Its time is the clock's, if it has none of its own. */
export async function openDatabaseUnderTest(clock?: Clock): Promise<StoreUnderTest> {
  if (ON_POSTGRES) return (await import("#store/store-suite")).openInPostgres();
  const db = openSqlite(":memory:", "normal", clock);
  await migrate(db);
  return { db, close: () => db.destroy() };
}

/** By the data folder that it goes with. */
const databases = new Map<string, Promise<string>>();

/** What tells a server with this data folder its database: the same one at each start. */
export async function databaseSetting(dataFolder: string): Promise<Record<string, string>> {
  if (!ON_POSTGRES) return {};
  const known = databases.get(dataFolder) ?? makeDatabase();
  databases.set(dataFolder, known);
  return { REPRISE_DATABASE: await known };
}

/** Without tables: a server makes them itself. */
async function makeDatabase(): Promise<string> {
  const { makeDatabase: make } = await import("#store/dialects/postgres-databases-suite");
  return make("template1");
}

/** The database of a server that does not run, for looking at its rows. */
export async function openDatabaseOf(dataFolder: string): Promise<Connection> {
  const { REPRISE_DATABASE: url } = await databaseSetting(dataFolder);
  if (url === undefined) return openSqlite(path.join(dataFolder, "reprise.sqlite"), "normal");
  return (await import("#store/dialects/postgres")).openPostgres(url);
}
