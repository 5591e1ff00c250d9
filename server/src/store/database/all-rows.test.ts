import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { migrationNames, type Row, rowsOf, type Table, TABLES } from "#store/database/all-rows";
import { fillDatabase } from "#store/restore/fill-database";
import { type Connection, inspectDatabase, migrate, snapshot } from "#store/database/database";
import { openSqlite } from "#store/dialects/sqlite";
import { type Migration, migrations } from "#store/migrations/index";

let db: Connection;
let other: Connection;

beforeEach(() => {
  db = openSqlite(":memory:", "normal");
  other = openSqlite(":memory:", "normal");
});

afterEach(() => Promise.all([db.destroy(), other.destroy()]));

/** The migrations of a later version, which gives each run a note and has a table of labels. */
const LATER: Readonly<Record<string, Migration>> = {
  ...migrations,
  "9001-notes": (on) =>
    on.schema
      .alterTable("runs")
      .addColumn("note", "text", (column) => column.notNull().defaultTo("none"))
      .execute(),
  "9002-labels": (on) => on.schema.createTable("labels").addColumn("label", "text").execute(),
};

const user = (id: string): Row => ({
  id,
  email: id,
  email_key: id,
  is_admin: 0,
  disabled_at: null,
  created_at: 1,
});

async function put(table: Table, rows: readonly Row[]): Promise<void> {
  for (const row of rows) await db.insertInto(table).values(row).execute();
}

async function fill(deletedMeanwhile: readonly string[] = [], known = migrations): Promise<void> {
  await snapshot(db, async (connection) => {
    const rows = (table: Table) => rowsOf(connection, table);
    const copy = { migrations: await migrationNames(connection), deletedMeanwhile, rows };
    await fillDatabase(other, copy, 1000, known);
  });
}

async function all(from: Connection, table: Table): Promise<Row[]> {
  const rows: Row[] = [];
  for await (const page of rowsOf(from, table)) rows.push(...page);
  return rows;
}

describe("a database filled with the rows of another", () => {
  test("has each row, however many there are", async () => {
    await migrate(db);
    await put(
      "users",
      Array.from({ length: 401 }, (_, index) => user(`u${index}`)),
    );
    await put("hosts", [
      { id: "h", name: "odd \0 ü", seen_at: 5, declared_lost_at: null, must_end_jobs: 0, places: "" },
    ]);
    await fill();
    expect(await all(other, "users")).toEqual(await all(db, "users"));
    expect(await all(other, "users")).toHaveLength(401);
    expect(await all(other, "hosts")).toEqual([
      {
        id: "h",
        name: "odd \0 ü",
        seen_at: 0,
        declared_lost_at: expect.any(Number),
        must_end_jobs: 0,
        places: "",
        shared_id: null,
        address: null,
      },
    ]);
  });

  test("is migrated with all rows from an earlier version", async () => {
    await migrate(db);
    await put("users", [user("ada")]);
    await put("workspaces", [{ id: "s", owner_id: "ada", created_at: 1, removed_at: null }]);
    const names = {
      name: "w",
      run_major: 1,
      run_minor: 0,
      language: "serial",
      owner_id: "ada",
      workspace_id: "s",
    };
    await put("runs", [{ seq: 7, id: "w", status: "finished", created_at: 1, ...names }]);
    await put("run_counts", [{ owner_id: "ada", status: "finished", total: 1 }]);
    await fill(["w"], LATER);
    expect(await inspectDatabase(other, LATER)).toEqual({ isNew: false, missing: [], unknown: [] });
    expect(await all(other, "runs")).toEqual([
      expect.objectContaining({ seq: 7, id: "w", status: "deleted", cpu_ms: 0, note: "none" }),
    ]);
    const counts = await all(other, "run_counts");
    expect(counts.filter(({ total }) => total !== 0)).toEqual([
      { owner_id: "ada", status: "deleted", total: 1 },
    ]);
    expect((await other.introspection.getTables()).map(({ name }) => name)).toContain("labels");
  });

  test("knows all existing tables", async () => {
    await migrate(db);
    const tables = (await db.introspection.getTables()).map(({ name }) => name);
    expect(tables.filter((name) => name !== "migrations").toSorted()).toEqual(TABLES.toSorted());
  });
});
