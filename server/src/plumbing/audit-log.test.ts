import { readFile, stat } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { openAuditLog } from "#plumbing/audit-log";
import { folderForEach } from "#plumbing/files/folder-fixture";

let folder: string;
folderForEach((made) => void (folder = made));

const ENTRY = {
  time: "2026-11-22T12:00:00",
  action: "start",
  user: "ada@example.org",
  subject: { run: "fit.1" },
};

test("an entry is in the file when `write` returns, after those of earlier servers, and holds no token", async () => {
  const file = path.join(folder, "logs", "audit.log");
  const lines = async () =>
    (await readFile(file, "utf8"))
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as object);
  for (const status of [200, 409]) {
    const log = openAuditLog(file, (sentence) => expect.unreachable(sentence));
    log.write({ ...ENTRY, status });
    expect((await lines()).at(-1)).toEqual({ ...ENTRY, status });
    await log.close();
  }
  const log = openAuditLog(file, (sentence) => expect.unreachable(sentence));
  log.write({ ...ENTRY, subject: { run: `reprise.1a2b3c4d.${"x".repeat(43)}` } });
  await log.close();
  expect(await lines()).toHaveLength(3);
  expect(await readFile(file, "utf8")).not.toContain("x".repeat(43));
  expect((await stat(file)).mode & 0o777).toBe(0o600);
});

test("the newest entries come first, of a file of any length", async () => {
  const file = path.join(folder, "audit.log");
  const log = openAuditLog(file, (sentence) => expect.unreachable(sentence));
  expect(await log.newest(5)).toEqual([]);
  for (let status = 0; status < 8000; status += 1)
    log.write({ ...ENTRY, status, subject: { run: "x".repeat(100) } });
  expect((await log.newest(2)).map(({ status }) => status)).toEqual([7999, 7998]);
  const all = await log.newest(100_000);
  expect(all.length).toBeGreaterThan(1000);
  expect(all.length).toBeLessThan(8000);
  await log.close();
});

test("a full disk is reported once, and the change is made all the same", () => {
  const reports: string[] = [];
  const log = openAuditLog("/dev/full", (sentence) => void reports.push(sentence));
  log.write(ENTRY);
  log.write(ENTRY);
  expect(reports).toEqual([expect.stringContaining("cannot be written")]);
});
