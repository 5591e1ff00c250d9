import { fdatasync } from "node:fs";
import { copyFile, mkdtemp, rm, stat, symlink } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import SqliteDatabase from "better-sqlite3";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { systemRandom } from "#plumbing/ids";
import { checkConnection, type Connection, migrate, transaction } from "#store/database/database";
import { NotOnDiskError, type SyncFile } from "#store/dialects/shared-sync";
import { openSqlite } from "#store/dialects/sqlite";
import { addUser, newRun } from "#store/store-suite";
import { insertRun, maybeRun } from "#store/runs/runs";
import { findUsers, insertUser, maybeUser } from "#store/users/users";

const onDisk = promisify(fdatasync);
const turn = () => new Promise((resolve) => setImmediate(resolve));

const newUser = (id: string) => ({ id, email: id, isAdmin: false, disabledAtMs: null, createdAtMs: 0 });

describe("SQLite with durability full", () => {
  let folder: string;
  let file: string;
  let db: Connection | undefined;

  beforeEach(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), "reprise-full-"));
    file = path.join(folder, "store.sqlite");
  });

  afterEach(async () => {
    await db?.destroy();
    await rm(folder, { recursive: true });
  });

  async function open(syncFile?: SyncFile): Promise<Connection> {
    db = openSqlite(file, "full", undefined, { syncFile });
    await migrate(db);
    return db;
  }

  /** Opens a database. After a call of `hold`, syncs wait until the test ends them. */
  async function openHeld() {
    const held: { end: () => void; fail: (error: Error) => void }[] = [];
    let isHolding = false;
    const opened = await open(async (fd) => {
      if (!isHolding) return onDisk(fd);
      const { promise, resolve: end, reject: fail } = Promise.withResolvers<void>();
      held.push({ end, fail });
      return promise;
    });
    return { db: opened, held, hold: () => void (isHolding = true) };
  }

  test("32 concurrent creations share syncs", async () => {
    let syncs = 0;
    const opened = await open(async (fd) => {
      syncs += 1;
      // Long enough for all the others to arrive, on a fast disk and on a busy machine too.
      for (let count = 0; count < 100; count += 1) await turn();
      return onDisk(fd);
    });
    const { id: ownerId } = await addUser(opened);
    syncs = 0;
    const EACH = 20;
    const client = async () => {
      for (let count = 0; count < EACH; count += 1) {
        await transaction(opened, (connection) => insertRun(connection, newRun(ownerId)));
      }
    };
    await Promise.all(Array.from({ length: 32 }, client));
    const syncsPerCommit = syncs / (32 * EACH);
    process.stdout.write(`32 at once, durability full: ${syncsPerCommit.toFixed(3)} syncs a commit\n`);
    expect(syncs).toBeGreaterThan(0);
    expect(syncsPerCommit).toBeLessThan(0.2);
  });

  test("during a sync the server still runs queries and accepts commits", async () => {
    const { db: opened, held, hold } = await openHeld();
    hold();
    const answered: string[] = [];
    const write = (id: string) => insertUser(opened, newUser(id)).then(() => answered.push(id));
    const first = write("first");
    await turn();
    const others = [write("second"), write("third")];
    await turn();
    expect((await findUsers(opened, {})).map((user) => user.id)).toEqual(["first", "second", "third"]);
    expect([held.length, answered]).toEqual([1, []]);
    held[0]!.end();
    await first;
    await turn();
    expect([held.length, answered]).toEqual([2, ["first"]]);
    held[1]!.end();
    await Promise.all(others);
    expect(held).toHaveLength(2);
  });

  test("no commit is acknowledged before a later sync, and no read before the sync of the read data", async () => {
    const raw = () => new SqliteDatabase(file, { readonly: true });
    let disk = new Set<string>();
    const reader = { db: undefined as ReturnType<typeof raw> | undefined };
    const opened = await open(async (fd) => {
      const ids = reader.db?.prepare("select id from users").pluck().all() as string[] | undefined;
      await onDisk(fd);
      await new Promise((resolve) => setTimeout(resolve, 2));
      disk = new Set(ids);
    });
    reader.db = raw();
    const early: string[] = [];
    const expectOnDisk = (what: string, ids: readonly string[]) => {
      for (const id of ids) if (!disk.has(id)) early.push(`${what}: ${id}`);
    };
    const deeds: ((id: string) => Promise<void>)[] = [
      async (id) => {
        await insertUser(opened, newUser(id));
        expectOnDisk("a statement", [id]);
      },
      async (id) => {
        await transaction(opened, (connection) => insertUser(connection, newUser(id)));
        expectOnDisk("a transaction", [id]);
      },
      async () => {
        const seen = await transaction(opened, (connection) => findUsers(connection, {}));
        expectOnDisk(
          "a transaction that reads",
          seen.map((user) => user.id),
        );
      },
      async () => {
        let seen: string[] = [];
        const refused = transaction(opened, async (connection) => {
          seen = (await findUsers(connection, {})).map((user) => user.id);
          throw new Error("refused");
        });
        await expect(refused).rejects.toThrow("refused");
        expectOnDisk("a transaction that is refused", seen);
      },
      async (id) => {
        const controlled = await opened.startTransaction().execute();
        await insertUser(controlled, newUser(id));
        await controlled.commit().execute();
        expectOnDisk("a transaction by hand", [id]);
      },
    ];
    const client = async (name: number) => {
      for (let count = 0; count < 25; count += 1)
        await deeds[(name + count) % deeds.length]!(`${name}-${count}`);
    };
    await Promise.all(Array.from({ length: 12 }, (_, name) => client(name)));
    reader.db.close();
    expect(early).toEqual([]);
    expect(disk.size).toBeGreaterThan(150);
  });

  test("a failed sync is never taken for a success: all waiting and all later commits are refused", async () => {
    const { db: opened, held, hold } = await openHeld();
    const { id: ownerId } = await addUser(opened);
    hold();
    const run = newRun(ownerId);
    const asked = [
      transaction(opened, (connection) => insertRun(connection, run)),
      insertUser(opened, newUser("statement")),
      transaction(opened, (connection) => maybeUser(connection, ownerId)),
    ];
    await turn();
    held[0]!.fail(Object.assign(new Error("EIO: i/o error, fdatasync"), { code: "EIO" }));
    const outcomes = await Promise.allSettled(asked);
    expect(outcomes).toEqual(asked.map(() => ({ status: "rejected", reason: expect.any(NotOnDiskError) })));
    const later = [
      transaction(opened, (connection) => insertRun(connection, newRun(ownerId))),
      insertUser(opened, newUser("later")),
      maybeRun(opened, run.id),
      checkConnection(opened),
    ];
    for (const one of later) {
      await expect(one).rejects.toThrow("could not be synced to the disk (EIO: i/o error, fdatasync).");
    }
    expect(held).toHaveLength(1);
  });

  test("a commit whose sync fails does not disturb the transaction that holds the connection", async () => {
    const { db: opened, held, hold } = await openHeld();
    hold();
    const first = transaction(opened, (connection) => insertUser(connection, newUser("first")));
    await expect.poll(() => held).toHaveLength(1);
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    const second = transaction(opened, async (connection) => {
      await insertUser(connection, newUser("second"));
      await released;
      return (await maybeUser(connection, "second"))?.id;
    });
    await turn();
    held[0]!.fail(new Error("EIO"));
    await expect(first).rejects.toThrow(NotOnDiskError);
    release();
    await expect(second).rejects.toThrow(NotOnDiskError);
    await opened.destroy();
    db = undefined;
    const again = await open();
    expect((await findUsers(again, {})).map((user) => user.id)).toEqual(["first", "second"]);
  });

  test("a new server begins with everything that it found on the disk", async () => {
    const opened = await open();
    await insertUser(opened, newUser("u"));
    const log = `${file}-wal`;
    const copy = path.join(folder, "copy.sqlite");
    await copyFile(file, copy);
    await copyFile(log, `${copy}-wal`);
    const syncs: string[] = [];
    const other = openSqlite(copy, "full", undefined, { syncFile: async () => void syncs.push("sync") });
    expect((await stat(`${copy}-wal`)).size).toBe(0);
    expect(await transaction(other, (connection) => maybeUser(connection, "u"))).toBeDefined();
    expect(syncs).toEqual(["sync"]);
    await other.destroy();
  });

  test("the log is found beside the database when that is reached through a link", async () => {
    const elsewhere = path.join(folder, "elsewhere.sqlite");
    const linked = openSqlite(elsewhere, "normal");
    await migrate(linked);
    await linked.destroy();
    await symlink(elsewhere, file);
    const opened = await open();
    expect(await maybeUser(opened, systemRandom.uuid())).toBeUndefined();
    await insertUser(opened, newUser("u"));
  });

  test("closing during a sync waits for the sync", async () => {
    const { db: opened, held, hold } = await openHeld();
    hold();
    const writing = insertUser(opened, newUser("u"));
    await turn();
    let isClosed = false;
    const closing = opened.destroy().then(() => (isClosed = true));
    db = undefined;
    await turn();
    expect(isClosed).toBe(false);
    held[0]!.end();
    await Promise.all([writing, closing]);
  });
});
