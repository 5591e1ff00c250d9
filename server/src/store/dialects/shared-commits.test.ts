import { spawnSync } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import SqliteDatabase from "better-sqlite3";
import { sql } from "kysely";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { systemClock } from "#plumbing/clock";
import { type Connection, migrate, snapshot, transaction } from "#store/database/database";
import { listen, notify, type WakeUp } from "#store/database/wake-ups";
import { openSqlite } from "#store/dialects/sqlite";
import { findUsers, insertUser, maybeUser } from "#store/users/users";

const SERVER_FOLDER = path.join(import.meta.dirname, "..", "..", "..");

/** A stopped clock, so no group ends early on a busy machine. */
const standing = { ...systemClock, elapsedMs: () => 0 };
const turn = () => new Promise((resolve) => setImmediate(resolve));
const newUser = (id: string) => ({ id, email: id, isAdmin: false, disabledAtMs: null, createdAtMs: 0 });

describe.each(["normal", "full"] as const)("SQLite transactions that begin together, %s", (durability) => {
  let folder: string;
  let file: string;
  let db: Connection;
  /** Another process's view of the database. */
  let other: SqliteDatabase.Database;

  beforeEach(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), "reprise-shared-"));
    file = path.join(folder, "store.sqlite");
    db = openSqlite(file, durability, standing);
    await migrate(db);
    other = new SqliteDatabase(file, { readonly: true });
  });

  afterEach(async () => {
    other.close();
    await db.destroy();
    await rm(folder, { recursive: true });
  });

  const committed = () => other.prepare<[], string>("select id from users order by rowid").pluck().all();
  const add = (id: string) => transaction(db, (connection) => insertUser(connection, newUser(id)));
  const count = async (ids: readonly string[], work: (id: string) => Promise<unknown>) =>
    (await Promise.allSettled(ids.map(work))).map(({ status }) => status);

  test("run in order, and are acknowledged after a single commit", async () => {
    const seen: unknown[] = [];
    const acknowledged: string[] = [];
    await count(["a", "b", "c"], async (id) => {
      await transaction(db, async (connection) => {
        await insertUser(connection, newUser(id));
        const mine = (await findUsers(connection, {})).map((user) => user.id);
        seen.push([mine, committed(), acknowledged.length]);
      });
      acknowledged.push(id);
    });
    expect(seen).toEqual([
      [["a"], [], 0],
      [["a", "b"], [], 0],
      [["a", "b", "c"], [], 0],
    ]);
    expect(acknowledged).toEqual(["a", "b", "c"]);
    expect(committed()).toEqual(["a", "b", "c"]);
  });

  test("are carried out if other transactions fail, which leave no rows and no wake-ups", async () => {
    const heard: WakeUp[] = [];
    const leave = listen(db, { hear: (wakeUp) => void heard.push(wakeUp), afterGap: () => undefined });
    for (const failing of ["a", "b", "c"]) {
      const outcomes = await count(["a", "b", "c"], (id) =>
        transaction(db, async (connection) => {
          const runId = `${failing}${id}`;
          await insertUser(connection, newUser(runId));
          await notify(connection, { kind: "run-changed", runId });
          if (id === failing) throw new Error("on purpose");
        }),
      );
      expect(outcomes.filter((outcome) => outcome === "rejected")).toHaveLength(1);
    }
    await turn();
    await leave();
    const left = ["ab", "ac", "ba", "bc", "ca", "cb"];
    expect(committed().toSorted()).toEqual(left);
    expect(heard.map((wakeUp) => "runId" in wakeUp && wakeUp.runId)).toEqual(committed());
  });

  test("are refused for reads of other transactions only after the commit", async () => {
    const refuse = (connection: Connection) =>
      findUsers(connection, {}).then((users) => {
        throw new Error(`there is ${users.map((user) => user.id).join()}`);
      });
    const seen: unknown[] = [];
    const refused = async () => {
      await expect(transaction(db, refuse)).rejects.toThrow("there is a");
      seen.push(committed());
    };
    await Promise.all([add("a"), refused(), add("b"), refused()]);
    expect(seen).toEqual([
      ["a", "b"],
      ["a", "b"],
    ]);
  });

  test("all fail if their commit fails, and the next ones are carried out", async () => {
    const heard: WakeUp[] = [];
    const leave = listen(db, { hear: (wakeUp) => void heard.push(wakeUp), afterGap: () => undefined });
    const work = ["a", "b", "c"].map((id) =>
      transaction(db, async (connection) => {
        if (id === "c") throw new Error("refused for what it read");
        await insertUser(connection, newUser(id));
        await notify(connection, { kind: "run-changed", runId: id });
        if (id !== "b") return;
        // SQLite checks the foreign keys of this row only at the commit.
        await sql`pragma defer_foreign_keys = on`.execute(connection);
        await sql`insert into group_members (user_id, group_id, role, added_at) values ('nobody', 'none', 'member', 0)`.execute(
          connection,
        );
      }),
    );
    const failed = {
      status: "rejected",
      reason: expect.objectContaining({ code: "SQLITE_CONSTRAINT_FOREIGNKEY" }),
    };
    expect(await Promise.allSettled(work)).toEqual([failed, failed, failed]);
    expect(committed()).toEqual([]);
    await add("d");
    expect(committed()).toEqual(["d"]);
    await leave();
    expect(heard).toEqual([]);
  });

  test("are not seen by statements outside them before the commit", async () => {
    const seen: unknown[] = [];
    const look = async () => seen.push((await findUsers(db, {})).map((user) => user.id));
    const looks: Promise<unknown>[] = [];
    await count(["a", "b"], (id) =>
      transaction(db, async (connection) => {
        await insertUser(connection, newUser(id));
        looks.push(look());
        await turn();
      }),
    );
    await Promise.all(looks);
    expect(seen).toEqual([
      ["a", "b"],
      ["a", "b"],
    ]);
  });

  test("fail with the disk's error if SQLite rolled all of them back, and what is acknowledged is stored", async () => {
    const { rows } = await sql<{ page_count: number }>`pragma page_count`.execute(db);
    await sql`pragma max_page_count = ${sql.lit(rows[0]!.page_count + 4)}`.execute(db);
    const ids = ["a", "b", "c"];
    const outcomes = await count(ids, (id) =>
      transaction(db, async (connection) => {
        await insertUser(connection, newUser(id));
        if (id === "b") await insertUser(connection, newUser("x".repeat(100_000)));
      }),
    );
    expect(outcomes[1]).toBe("rejected");
    expect(committed()).toEqual(ids.filter((_id, index) => outcomes[index] === "fulfilled"));
    await sql`pragma max_page_count = 100000`.execute(db);
    await add("d");
    expect(committed()).toContain("d");
  });

  test("are divided into groups of 64, with other work between the groups", async () => {
    const ids = Array.from({ length: 200 }, (_, index) => `user-${index}`);
    const seen: number[] = [];
    await count(ids, (id) =>
      transaction(db, async (connection) => {
        seen.push(committed().length);
        await insertUser(connection, newUser(id));
        // Callbacks that wait for the next turn of the event loop run between two groups.
        setImmediate(() => seen.push(-1));
      }),
    );
    const groups = seen.filter((one, index) => one !== seen[index - 1]);
    expect(groups).toEqual([0, -1, 64, -1, 128, -1, 192, ...(seen.at(-1) === -1 ? [-1] : [])]);
    expect(committed()).toEqual(ids);
  });

  test("join no group that has taken 5 ms", async () => {
    let nowMs = 0;
    const own = openSqlite(file, durability, { ...systemClock, elapsedMs: () => nowMs });
    const seen: unknown[] = [];
    await count(["a", "b", "c", "d"], (id) =>
      transaction(own, async (connection) => {
        await insertUser(connection, newUser(id));
        seen.push(committed());
        nowMs += 3;
      }),
    );
    await own.destroy();
    expect(seen).toEqual([[], [], ["a", "b"], ["a", "b"]]);
  });

  test("do not join a snapshot", async () => {
    let seen: unknown[] = [];
    const reading = snapshot(db, async (connection) => {
      await turn();
      seen = [committed(), (await findUsers(connection, {})).length];
    });
    await Promise.all([reading, add("a")]);
    expect(seen).toEqual([[], 0]);
    expect(committed()).toEqual(["a"]);
  });

  test("refuse a statement after the end", async () => {
    let late: Connection | undefined;
    await count(["a", "b"], (id) =>
      transaction(db, async (connection) => {
        if (id === "b") await expect(insertUser(late!, newUser("late"))).rejects.toThrow("is over");
        late = connection;
        await insertUser(connection, newUser(id));
      }),
    );
    expect(committed()).toEqual(["a", "b"]);
  });

  test("are carried out before the database is closed", async () => {
    const own = openSqlite(file, durability, standing);
    await maybeUser(own, "a");
    const adding = count(["a", "b"], (id) =>
      transaction(own, (connection) => insertUser(connection, newUser(id))),
    );
    await Promise.resolve();
    const [outcomes] = await Promise.all([adding, turn().then(() => own.destroy())]);
    expect(outcomes).toEqual(["fulfilled", "fulfilled"]);
    expect(committed()).toEqual(["a", "b"]);
  });

  test.each([
    ["before", []],
    ["after", ["a", "b", "c"]],
  ])("are all stored or none, and none acknowledged, in a process killed %s the commit", (when, stored) => {
    const script = `
      import SqliteDatabase from "better-sqlite3";
      import { transaction } from "#store/database/database";
      import { openSqlite } from "#store/dialects/sqlite";
      import { insertUser } from "#store/users/users";
      const prepare = SqliteDatabase.prototype.prepare;
      SqliteDatabase.prototype.prepare = function (text) {
        const statement = prepare.call(this, text);
        if (text !== "commit") return statement;
        const kill = () => process.kill(process.pid, "SIGKILL");
        return { run: () => (${when === "before"} ? kill() : (statement.run(), kill())) };
      };
      const standing = { now: Date.now, elapsedMs: () => 0 };
      const db = openSqlite(process.argv[1], ${JSON.stringify(durability)}, standing);
      await Promise.all(["a", "b", "c"].map(async (id) => {
        const user = { id, email: id, isAdmin: false, disabledAtMs: null, createdAtMs: 0 };
        await transaction(db, (connection) => insertUser(connection, user));
        console.log("acknowledged", id);
      }));
    `;
    const args = ["--input-type=module", "--eval", script, file];
    const { signal, stdout } = spawnSync(process.execPath, args, { cwd: SERVER_FOLDER, encoding: "utf8" });
    expect({ signal, stdout }).toEqual({ signal: "SIGKILL", stdout: "" });
    expect(committed()).toEqual(stored);
  });
});
