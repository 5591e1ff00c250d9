import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { sql } from "kysely";
import { Client } from "pg";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { type Connection, migrate, transaction } from "#store/database/database";
import { openPostgres } from "#store/dialects/postgres";
import { makeDatabase, openTestDatabase, type TestDatabase } from "#store/dialects/postgres-databases-suite";
import { needsPostgres, POSTGRES_PASSWORD } from "#store/dialects/postgres-server-suite";
import { addUser, addRun } from "#store/store-suite";
import { LEASE_MS } from "#store/hosts/hosts";
import { maybeUser, setDisabled } from "#store/users/users";
import { oneRun, setFailure } from "#store/runs/runs";
import { migrations } from "#store/migrations/index";

/** The folder from which `#store/…` is resolved in a script without a file. */
const SERVER_FOLDER = path.join(import.meta.dirname, "..", "..", "..");

describe("PostgreSQL", () => {
  let database: TestDatabase;
  let db: Connection;

  beforeEach(async (context) => {
    needsPostgres(context);
    database = await openTestDatabase();
    db = openPostgres(database.url);
  });

  afterEach(async () => {
    await db.destroy();
    await database.giveBack();
  });

  test("the database frees the locks of a silent server within a lease", async () => {
    const shown = await sql`show idle_in_transaction_session_timeout`.execute(db);
    expect(shown.rows).toEqual([{ idle_in_transaction_session_timeout: `${LEASE_MS / 1000}s` }]);
  });

  test("texts come out as they went in, NUL and all", async () => {
    const { id } = await addRun(db, (await addUser(db)).id);
    for (const sentence of ["\0", "a\0b\u0010c", "\u00100", "\u00101\u0010\0", "é\u2028😀\u{10ffff}", ""]) {
      await setFailure(db, id, sentence);
      expect((await oneRun(db, id)).failure).toBe(sentence);
    }
  });

  test("a number that JavaScript cannot hold is an error and not another number", async () => {
    const { id } = await addUser(db);
    await sql`update users set created_at = 9007199254740993`.execute(db);
    await expect(maybeUser(db, id)).rejects.toThrow("9007199254740993 in the database is too large");
    expect(await sql`select 1 as one`.execute(db)).toMatchObject({ rows: [{ one: 1 }] });
  });

  test("two transactions that wait for each other are both carried out", async () => {
    const users = [await addUser(db), await addUser(db)];
    const bothBegan = barrier(2);
    const disable = (first: number, second: number) =>
      transaction(db, async (connection) => {
        await setDisabled(connection, users[first]!.id, 1);
        await bothBegan();
        await setDisabled(connection, users[second]!.id, 2);
      });
    await Promise.all([disable(0, 1), disable(1, 0)]);
    const times = await Promise.all(users.map(async ({ id }) => (await maybeUser(db, id))?.disabledAtMs));
    expect(new Set(times)).toEqual(new Set([1, 2]));
  });

  test("a transaction whose failed statement was passed over is not said to be committed", async () => {
    const user = await addUser(db);
    const writing = transaction(db, async (connection) => {
      await setDisabled(connection, user.id, 1);
      await sql`select nonsense`.execute(connection).catch(() => undefined);
    });
    await expect(writing).rejects.toThrow("was undone");
    expect((await maybeUser(db, user.id))?.disabledAtMs).toBeNull();
  });

  test("a transaction sends a statement while the one before is carried out", async () => {
    const sending = vi.spyOn(Client.prototype, "query");
    await transaction(db, async (connection) => {
      const slow = sql`select pg_sleep(0.05)`.execute(connection);
      const rest = [1, 2, 3].map((number) => sql`select ${number}::integer`.execute(connection));
      await expect.poll(() => sending.mock.calls.length, { interval: 1 }).toBe(5);
      expect(await Promise.race([slow, delay(1, "under way")])).toBe("under way");
      await Promise.all([slow, ...rest]);
    });
    sending.mockRestore();
  });

  test("a statement that comes after the end of its transaction is refused", async () => {
    const user = await addUser(db);
    let late: Promise<unknown> | undefined;
    const writing = transaction(db, async (connection) => {
      late = sql`select pg_sleep(0.02)`
        .execute(connection)
        .then(() => setDisabled(connection, user.id, 1))
        .catch((error: unknown) => error);
      throw new Error("on purpose");
    });
    await expect(writing).rejects.toThrow("on purpose");
    // Kysely refuses the statement itself if the rollback has already ended.
    expect(String(await late)).toMatch(/The transaction of this statement is over|already rolled back/);
    expect(await maybeUser(db, user.id)).toEqual(user);
  });

  test("texts are compared byte by byte, whatever the database's locale", async () => {
    const { rows } = await sql<{ name: string }>`
      select distinct collation_name as name from information_schema.columns
      where table_schema = 'public' and data_type = 'text'`.execute(db);
    expect(rows).toEqual([{ name: "C" }]);
  });

  test("several processes that migrate an empty database at the same time migrate once", async () => {
    const url = await makeDatabase("template1");
    const migrating = `
      import { migrate } from "#store/database/database";
      import { openPostgres } from "#store/dialects/postgres";
      process.stdout.write("ready");
      process.stdin.once("data", async () => {
        const db = openPostgres(process.env.DATABASE);
        console.log(JSON.stringify(await migrate(db)));
        await db.destroy();
        process.exit(0);
      });
    `;
    const children = [script(migrating, url), script(migrating, url), script(migrating, url)];
    await Promise.all(children.map((child) => once(child.stdout!, "data")));
    const done = children.map((child) => once(child.stdout!, "data"));
    const exits = children.map((child) => once(child, "exit"));
    for (const child of children) child.stdin!.write("go");
    expect((await Promise.all(exits)).map(([code]) => code as number)).toEqual([0, 0, 0]);
    const answers = (await Promise.all(done)).map(([line]) => String(line).trim());
    expect(answers.toSorted()).toEqual([JSON.stringify(Object.keys(migrations)), "[]", "[]"]);
  });

  test("a database of a newer version is refused, and nothing is changed", async () => {
    await db.insertInto("migrations").values({ name: "9999-newer" }).execute();
    await expect(migrate(db)).rejects.toMatchObject({ name: "OtherDatabaseError" });
    const done = await db.selectFrom("migrations").selectAll().execute();
    expect(done).toHaveLength(Object.keys(migrations).length + 1);
  });

  test("a database that cannot hold every text is refused before anything is made in it", async () => {
    const url = await makeDatabase("template0", sql` encoding 'LATIN1'`);
    const other = openPostgres(url);
    await expect(migrate(other)).rejects.toThrow("keeps its texts in LATIN1");
    expect(await other.introspection.getTables()).toEqual([]);
    await other.destroy();
  });

  test("an unreachable server is reported without the password", async () => {
    for (const [url, reason] of [
      [
        database.url.replace(POSTGRES_PASSWORD, `${POSTGRES_PASSWORD}-wrong`),
        "password authentication failed",
      ],
      [database.url.replace(/host=.*/, "host=/nowhere"), "ENOENT"],
      [`postgres://reprise:${POSTGRES_PASSWORD}@localhost:1/none`, "ECONNREFUSED"],
    ] as const) {
      const other = openPostgres(url);
      const error = await maybeUser(other, "u").catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({ code: "DATABASE_AWAY" });
      expect(String(error)).toContain(reason);
      expect(JSON.stringify(error) + String((error as Error).stack)).not.toContain(POSTGRES_PASSWORD);
      await other.destroy();
    }
  });
});

function script(code: string, url: string): ChildProcess {
  return spawn(process.execPath, ["--input-type=module", "-e", code], {
    cwd: SERVER_FOLDER,
    env: { ...process.env, DATABASE: url },
    stdio: ["pipe", "pipe", "inherit"],
  });
}

/** Blocks callers until `count` of them have arrived. Later callers pass. */
function barrier(count: number): () => Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  let missing = count;
  return () => {
    missing -= 1;
    if (missing === 0) resolve();
    return promise;
  };
}
