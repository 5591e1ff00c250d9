import { readFile, stat, writeFile } from "node:fs/promises";
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
  expect(await log.newest(5)).toEqual({ entries: [], unreadable: 0 });
  for (let status = 0; status < 8000; status += 1)
    log.write({ ...ENTRY, status, subject: { run: "x".repeat(100) } });
  expect((await log.newest(2)).entries.map(({ status }) => status)).toEqual([7999, 7998]);
  const all = await log.newest(100_000);
  expect(all.entries.length).toBeGreaterThan(1000);
  expect(all.entries.length).toBeLessThan(8000);
  expect(all.unreadable).toBe(0);
  await log.close();
});

test("lines that are no entries are counted, and a last line that is being written is not", async () => {
  const file = path.join(folder, "audit.log");
  const whole = JSON.stringify(ENTRY);
  await writeFile(file, `${whole.slice(0, 30)}${whole}\n{"time":1}\nnull\n${whole}\n${whole.slice(0, 30)}`);
  const log = openAuditLog(file, (sentence) => expect.unreachable(sentence));
  expect(await log.newest(5)).toEqual({ entries: [ENTRY], unreadable: 3 });
  // The next entry shows that nobody is writing the unfinished line.
  log.write(ENTRY);
  expect(await log.newest(5)).toEqual({ entries: [ENTRY, ENTRY], unreadable: 4 });
  await log.close();
});

test("an entry may hold any character", async () => {
  const file = path.join(folder, "audit.log");
  const log = openAuditLog(file, (sentence) => expect.unreachable(sentence));
  const subject = { file_name: "a\u2028b\u2029c\rd\ne\0" };
  log.write({ ...ENTRY, subject });
  expect(await log.newest(1)).toEqual({ entries: [{ ...ENTRY, subject }], unreadable: 0 });
  await log.close();
});

test("a full disk is reported once, with the name of this log, and the change is made all the same", () => {
  const reports: string[] = [];
  const log = openAuditLog("/dev/full", (sentence) => void reports.push(sentence));
  log.write(ENTRY);
  log.write(ENTRY);
  expect(reports).toEqual([expect.stringContaining("The log /dev/full cannot be written: ENOSPC")]);
});
