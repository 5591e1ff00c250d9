import { createHash } from "node:crypto";
import { sql } from "kysely";
import { expect, test } from "vitest";
import { migrate } from "#store/database/database";
import { openSqlite } from "#store/dialects/sqlite";
import { FIRST, migrations } from "#store/migrations/index";

/**
 * A failure means that the tables have changed. Before the first release: put the expected name into index.ts, so that
 * a database with the earlier tables is refused. After it: undo the change, and add a migration.
 */
test("the first migration ends with the checksum of its tables", async () => {
  const db = openSqlite(":memory:", "normal");
  const [name, first] = Object.entries(migrations)[0]!;
  await migrate(db, { [name]: first });
  const made = sql<{ sql: string }>`select sql from sqlite_master where sql is not null order by sql`;
  const { rows } = await made.execute(db);
  await db.destroy();
  const checksum = createHash("sha256")
    .update(rows.map((row) => row.sql).join("\n"))
    .digest("hex");
  expect(name).toBe(`${FIRST}-${checksum.slice(0, 8)}`);
});
