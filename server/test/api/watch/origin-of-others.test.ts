import { createHash } from "node:crypto";
import { closeSync, openSync, readSync } from "node:fs";
import path from "node:path";
import SqliteDatabase from "better-sqlite3";
import type { CompiledQuery } from "kysely";
import { afterEach, expect, test, vi } from "vitest";
import { findOrigin, type OriginContext } from "#operations/watch/origin/find-origin";
import { systemClock } from "#plumbing/clock";
import { folderForEach } from "#plumbing/files/folder-fixture";
import { type Connection, migrate } from "#store/database/database";
import { openSqlite } from "#store/dialects/sqlite";
import { SqliteConnection } from "#store/dialects/sqlite-connection";
import { insertFiles } from "#store/origin/file-rows";
import { insertShare } from "#store/sharing/shares";
import { addRun, addUser } from "#store/store-suite";
import type { IndexedFile } from "#workflow/run/indexed-file";

/**
 * A reply about a content that only others have must cost what a reply about an absent content costs. Times differ from
 * measurement to measurement, so the tests count the cause of time: the statements, and the pages that each reads from
 * the disk.
 */
const PAGE_BYTES = 4096;
const DIGEST_ALONE = "select path from run_files where sha256 = ?";

let file = "";
folderForEach((folder) => void (file = path.join(folder, "reprise.sqlite")));
afterEach(() => vi.restoreAllMocks());

const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");
const chunk = (text: string) => sha256(text).slice(0, 14);

function fileOf(name: string): IndexedFile {
  const about = { stamp: null, role: "output", jobId: null, doubt: null } as const;
  return { path: `out/${name}`, bytes: 7, sha256: sha256(name), sketch: [chunk(name)], ...about };
}

/** Files with the names `word-0`, `word-1` and so on. */
const filesOf = (word: string, count: number) =>
  Array.from({ length: count }, (_, index) => fileOf(`${word}-${index}`));

/** Ada has many files. Bob has a few, and a run of Carol is shared with Bob. */
async function fill(db: Connection): Promise<string> {
  const [ada, bob, carol] = [await addUser(db), await addUser(db), await addUser(db)];
  for (const [owner, word, count] of [
    [ada, "ada", 5000],
    [bob, "bob", 3],
    [carol, "carol", 3],
  ] as const) {
    const run = await addRun(db, owner.id, { status: "finished" });
    await insertFiles(db, run, filesOf(word, count), 0);
    const share = { runSeq: run.seq, ownerId: owner.id, granteeId: bob.id, isHidden: false };
    if (owner === carol) await insertShare(db, { ...share, message: null, sharedAtMs: 0, expiresAtMs: null });
  }
  return bob.id;
}

/** Returns the statements of a look-up for a content with that name. */
async function statementsOf(db: Connection, userId: string, name: string): Promise<CompiledQuery[]> {
  const seen: CompiledQuery[] = [];
  const spy = vi.spyOn(SqliteConnection.prototype, "executeQuery").mockImplementation(async function (
    this: SqliteConnection,
    query,
  ) {
    seen.push(query);
    return execute.call(this, query);
  });
  const context = {
    db,
    clock: systemClock,
    fileIndex: { catchUp: async () => undefined },
    workspaces: { of: () => ({ folder: "/", forRun: () => ({ maybeStampsAt: async () => [] }) }) },
  } as unknown as OriginContext;
  const caller = { id: userId, email: "bob@example.org", isAdmin: true };
  await findOrigin(context, caller, { sha256: sha256(name), name, bytes: 7, chunks: [chunk(name)] });
  spy.mockRestore();
  return seen;
}
const { executeQuery: execute } = SqliteConnection.prototype;

/** Runs a statement on a connection with an empty cache. Returns the text, the rows and the number of pages read. */
function costOf({ sql, parameters }: Pick<CompiledQuery, "sql" | "parameters">) {
  const fresh = new SqliteDatabase(file);
  try {
    const before = bytesRead();
    const rows = fresh.prepare(sql).all(...parameters);
    return { sql, rows: rows.length, pages: Math.floor((bytesRead() - before) / PAGE_BYTES) };
  } finally {
    fresh.close();
  }
}

/** Bytes read by the thread through system calls. */
function bytesRead(): number {
  const text = Buffer.alloc(200);
  const descriptor = openSync("/proc/thread-self/io", "r");
  const length = readSync(descriptor, text);
  closeSync(descriptor);
  return Number(/^rchar: (\d+)/.exec(text.toString("latin1", 0, length))![1]);
}

test("a content that only others have costs as many statements, rows and pages as an absent one", async () => {
  const db = openSqlite(file, "normal");
  await migrate(db);
  const bob = await fill(db);
  const costs = async (name: string) => (await statementsOf(db, bob, name)).map(costOf);
  const absent = await costs("absent-0");
  expect(absent.length).toBeGreaterThan(5);
  for (let index = 0; index < 50; index += 1) {
    expect(await costs(`ada-${index * 100}`)).toEqual(absent);
    expect(await costs(`absent-${index}`)).toEqual(absent);
  }
  // A statement that finds a file reads more pages: Bob's own file, or a file that is shared with Bob.
  for (const visible of ["bob-1", "carol-1"]) {
    const found = (await costs(visible)).find(({ sql, rows }) => rows > 0 && sql.includes("sha256"))!;
    expect(found.pages).toBeGreaterThan(absent.find(({ sql }) => sql === found.sql)!.pages);
  }
  await db.destroy();
});

test("the count tells a look-up by digest alone apart", async () => {
  const db = openSqlite(file, "normal");
  await migrate(db);
  await fill(db);
  await db.schema.createIndex("by_digest").on("run_files").column("sha256").execute();
  await db.destroy();
  const cost = (name: string) => costOf({ sql: DIGEST_ALONE, parameters: [sha256(name)] }).pages;
  expect(cost("ada-100")).toBeGreaterThan(cost("absent-0"));
});
