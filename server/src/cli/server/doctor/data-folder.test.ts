import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { checkDatabase } from "#cli/server/doctor/database";
import { checkBackup, checkInputStore, checkLog } from "#cli/server/doctor/files";
import type { Finding } from "#cli/server/doctor/finding";
import { checkDataFolder, checkDiskSpace } from "#cli/server/doctor/machine";
import { fakeCli } from "#cli/fake-cli";
import type { DatabaseReport } from "#cli/context";

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), "reprise-doctor-"));
});

afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

describe("the data folder", () => {
  test("is tried and left unchanged", async () => {
    expect(await checkDataFolder(folder)).toMatchObject({ state: "ok", sentence: `${folder} is writable` });
    expect((await checkDataFolder(path.join(folder, "a", "b"))).sentence).toContain("will be made");
    expect(await readdir(folder)).toEqual([]);
  });

  test("cannot be a file, or lie under one", async () => {
    const file = path.join(folder, "file");
    await writeFile(file, "");
    for (const name of [file, path.join(file, "under")]) {
      expect(await checkDataFolder(name)).toMatchObject({
        state: "missing",
        sentence: `${name}: ${file} is not a folder.`,
      });
    }
  });

  test("a folder without write permission is reported", async () => {
    expect(await checkDataFolder("/proc/reprise")).toMatchObject({ state: "missing" });
  });

  test("the disk has room", async () => {
    expect((await checkDiskSpace(path.join(folder, "a"))).sentence).toContain("are free for the data folder");
    expect(await checkDiskSpace(folder, () => 2 ** 60)).toMatchObject({
      state: "missing",
      sentence: expect.stringContaining("under 1024 PiB (--min-free) no job starts"),
    });
  });
});

test.each<[string, DatabaseReport, Partial<Finding>]>([
  [
    "SQLite that is there",
    { database: "SQLite", file: process.execPath },
    { state: "ok", sentence: expect.stringMatching(/^SQLite, [\d.]+ MiB in \//) },
  ],
  [
    "SQLite that is not",
    { database: "SQLite", file: "/nowhere/reprise.sqlite" },
    { state: "ok", sentence: "SQLite; it will be made at the first start" },
  ],
  [
    "PostgreSQL, up to date",
    { database: "PostgreSQL", version: "15.9", bytes: 5 * 2 ** 20, missing: [] },
    { state: "ok", sentence: "PostgreSQL 15.9 (5 MiB) answers, and its tables are up to date" },
  ],
  [
    "PostgreSQL, empty",
    { database: "PostgreSQL", version: "15.9", bytes: 5 * 2 ** 20, missing: ["0001-first"] },
    { state: "ok", sentence: expect.stringContaining("`reprise migrate`, makes 1 change of its tables") },
  ],
  [
    "PostgreSQL of a newer version",
    {
      database: "PostgreSQL",
      version: "15.9",
      bytes: 5 * 2 ** 20,
      missing: [],
      refusal: "A newer version of Reprise.",
    },
    { state: "missing", sentence: expect.stringContaining("newer version of Reprise") },
  ],
])("the database: %s", async (_what, report, expected) => {
  const cli = fakeCli({ reportDatabase: async () => report });
  expect(await checkDatabase(cli, {})).toMatchObject(expected);
});

test("the size of SQLite includes the changes that are kept beside it", async () => {
  const file = path.join(folder, "sized.sqlite");
  await writeFile(file, Buffer.alloc(2 ** 20));
  await writeFile(`${file}-wal`, Buffer.alloc(2 * 2 ** 20));
  const cli = fakeCli({ reportDatabase: async () => ({ database: "SQLite", file }) });
  expect(await checkDatabase(cli, {})).toMatchObject({
    sentence: expect.stringMatching(/^SQLite, 3(\.0)? MiB in /),
  });
});

test("a database that does not answer is missing", async () => {
  const cli = fakeCli({ reportDatabase: () => Promise.reject(new Error("connect ECONNREFUSED")) });
  expect(await checkDatabase(cli, {})).toMatchObject({
    state: "missing",
    sentence: expect.stringMatching(/^connect ECONNREFUSED\. Check REPRISE_DATABASE/),
  });
  const reason = "The database does not answer (connect ECONNREFUSED 127.0.0.1:5432)";
  const away = Object.assign(new Error(`${reason}. Nothing was changed.`), { reason });
  expect((await checkDatabase(fakeCli({ reportDatabase: () => Promise.reject(away) }), {})).sentence).toBe(
    `${reason}. Check REPRISE_DATABASE, and that PostgreSQL is running and accepts this user.`,
  );
});

test("the database of a running server is checked", async () => {
  await writeFile(
    path.join(folder, "server.json"),
    '{"url": "http://127.0.0.1:1", "pid": 1, "database": "PostgreSQL, reprise at db.example.org"}',
  );
  const cli = fakeCli({ isFolderInUse: async () => true });
  expect(await checkDatabase(cli, { dataFolder: folder })).toMatchObject({
    state: "missing",
    sentence: expect.stringMatching(
      /^PostgreSQL, reprise at db\.example\.org, as the running server uses it: .*could not be reached/,
    ),
  });
});

test("the last backup, and how long the log is", async () => {
  expect(await checkBackup(folder)).toMatchObject({ state: "note" });
  expect(await checkLog(folder)).toMatchObject({ state: "note" });
  await writeFile(
    path.join(folder, "last-backup.json"),
    '{"at": "2026-11-21T03:30:00.120Z", "folder": "/b"}',
  );
  await mkdir(path.join(folder, "logs"));
  await writeFile(path.join(folder, "logs", "server.log"), "x".repeat(2048));
  expect((await checkBackup(folder)).sentence).toBe(
    "the last one was made at 2026-11-21T03:30:00.120Z, in /b",
  );
  expect((await checkLog(folder)).sentence).toBe(`2 KiB in ${folder}/logs/server.log`);
});

test("the size of the store of fetched inputs", async () => {
  expect(await checkInputStore(folder)).toMatchObject({ state: "note" });
  const store = path.join(folder, "contents", "sha256");
  for (const name of ["ab/abc", "cd/cde"]) {
    await mkdir(path.join(store, path.dirname(name)), { recursive: true });
    await writeFile(path.join(store, name), "x".repeat(1024));
  }
  expect((await checkInputStore(folder)).sentence).toBe(`2 fetched inputs (2 KiB) in ${store}`);
});
