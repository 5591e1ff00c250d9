import { readFileSync } from "node:fs";
import {
  type CompiledQuery,
  type DatabaseConnection,
  Kysely,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from "kysely";
import { expect, test } from "vitest";
import { adapterIn, pipelineTransactions, PlansOnce, runCompiled } from "#store/database/kysely-hooks";
import type { Tables } from "#store/database/tables";

/** If a test fails after an upgrade of Kysely, its title names the part of the store to mend before the upgrade. */

/** An adapter that allows several transactions at a time, like the adapters of the store. */
class Adapter extends SqliteAdapter {
  override get supportsMultipleConnections(): boolean {
    return true;
  }
}

/** A database whose statements start at once and end only when `answer` is called. */
function heldDatabase(compiler = new SqliteQueryCompiler()) {
  const { promise: answered, resolve: answer } = Promise.withResolvers<void>();
  const started: CompiledQuery[] = [];
  let begun = 0;
  const connection: DatabaseConnection = {
    async executeQuery(query) {
      started.push(query);
      await answered;
      return { rows: [] };
    },
    streamQuery: () => expect.fail("The store streams no query."),
  };
  const nothing = async () => undefined;
  const db = new Kysely<Tables>({
    dialect: {
      createAdapter: () => new Adapter(),
      createDriver: () => ({
        init: nothing,
        acquireConnection: async () => connection,
        beginTransaction: async () => void (begun += 1),
        commitTransaction: nothing,
        rollbackTransaction: nothing,
        releaseConnection: nothing,
        destroy: nothing,
      }),
      createIntrospector: (one) => new SqliteIntrospector(one),
      createQueryCompiler: () => compiler,
    },
  });
  return { db, started, answer, begun: () => begun };
}

const twoReads = (db: Kysely<Tables>) =>
  Promise.all([
    db.selectFrom("users").select("id").execute(),
    db.selectFrom("tokens").select("id").execute(),
  ]);

test("Kysely has the version of the other tests: run all tests of the store before another version", () => {
  const manifest = readFileSync(new URL("../package.json", import.meta.resolve("kysely")), "utf8");
  expect(JSON.parse(manifest)).toMatchObject({ version: "0.29.9" });
});

test("a transaction has the adapter of the database: fixed queries, wake-ups and the database time", async () => {
  const { db } = heldDatabase();
  const inside = await db.transaction().execute(async (tx) => adapterIn(tx));
  expect(inside).toBe(adapterIn(db));
});

test("a compiled query runs again with other values: fixed queries", async () => {
  const { db, started, answer } = heldDatabase();
  answer();
  const { parameters: _, ...compiled } = db.selectFrom("users").select("id").where("id", "=", "a").compile();
  await runCompiled(db, { ...compiled, parameters: ["b"] });
  expect(started).toMatchObject([{ sql: compiled.sql, parameters: ["b"] }]);
});

test("a compiled query keeps objects as parameters: the places of values in fixed queries", () => {
  const place = { name: "id" };
  const query = heldDatabase()
    .db.selectFrom("users")
    .select("id")
    .where("id", "=", place as never);
  expect(query.compile().parameters[0]).toBe(place);
});

test.each([
  [true, 2],
  [false, 1],
])(
  "statements of a transaction start together (%s): round trips to PostgreSQL",
  async (isPipelined, count) => {
    const { db, started, answer } = heldDatabase();
    if (isPipelined) pipelineTransactions(db);
    const done = db.transaction().execute(twoReads);
    await expect.poll(() => started.length).toBeGreaterThan(0);
    await new Promise(setImmediate);
    expect(started).toHaveLength(count);
    answer();
    await done;
  },
);

test("a second transaction begins before the commit of the first: shared commits of SQLite", async () => {
  const { db, answer, begun } = heldDatabase();
  pipelineTransactions(db);
  const done = Promise.all([db.transaction().execute(twoReads), db.transaction().execute(twoReads)]);
  await expect.poll(begun).toBe(2);
  answer();
  await done;
});

test("values are hidden from SQLite's planner, apart from inserted rows: plans for all values", () => {
  const { db } = heldDatabase(new PlansOnce());
  expect(db.selectFrom("users").select("id").where("id", "=", "a").compile().sql).toContain("(select ?)");
  const insertion = db.insertInto("migrations").values({ name: "a" }).compile();
  expect(insertion.sql).toContain("values (?)");
});
