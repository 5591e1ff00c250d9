import { migrate } from "#store/database";
import { openSqlite } from "#store/dialects/sqlite";
import type { StoreUnderTest } from "#store/store-suite";

/**
 * Tests that cross rooms run in memory; those that `vitest.config.ts` names run once more on PostgreSQL. Nothing of it
 * stands in the tests themselves.
 */
const ON_POSTGRES = process.env["REPRISE_TEST_DATABASE"] === "PostgreSQL";

/** An empty database with its tables. */
export async function openDatabaseUnderTest(): Promise<StoreUnderTest> {
  if (ON_POSTGRES) return (await import("#store/store-suite")).openInPostgres();
  const db = openSqlite(":memory:", "normal");
  await migrate(db);
  return { db, close: () => db.destroy() };
}
