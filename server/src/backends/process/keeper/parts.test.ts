import { appendFileSync, mkdirSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { type FileCount, maybeStartCount } from "#backends/process/keeper/file-count";
import { maybeFirstLine } from "#backends/process/keeper/find-job";
import { useOf } from "#backends/process/keeper/measure";
import { folderForEach } from "#plumbing/files/folder-fixture";

let folder: string;
folderForEach((made) => void (folder = made));

describe("the first line of a file that a job can reach", () => {
  test.each([
    ["a line and more", "first\nsecond\n", "first"],
    ["a line without its end", "first", "first"],
    ["nothing", "", ""],
  ])("%s", (_name, text, line) => {
    writeFileSync(path.join(folder, "file"), text);
    expect(maybeFirstLine(path.join(folder, "file"))).toBe(line);
  });

  test("is unknown if the file is endless, or a link", () => {
    writeFileSync(path.join(folder, "file"), "");
    symlinkSync("file", path.join(folder, "link"));
    expect(maybeFirstLine(path.join(folder, "link"))).toBeUndefined();
    truncateSync(path.join(folder, "file"), 2 ** 40);
    expect(maybeFirstLine(path.join(folder, "file"))).toBeUndefined();
  });
});

describe("a count of files", () => {
  const newCount = (): FileCount => ({
    isRunning: false,
    isCancelled: false,
    nextAtMs: 0,
    hasTooMany: false,
  });

  function makeFiles(): void {
    mkdirSync(path.join(folder, "elsewhere", "deep"), { recursive: true });
    symlinkSync("elsewhere", path.join(folder, "workspace"));
    for (const place of ["scratch", "tmp"]) mkdirSync(path.join(folder, place));
    for (const place of ["workspace/deep", "scratch", "tmp"])
      appendFileSync(path.join(folder, place, "file"), "");
    symlinkSync("/usr", path.join(folder, "tmp", "link"));
  }

  async function counted(limit: number, count = newCount()): Promise<FileCount> {
    maybeStartCount(count, folder, limit);
    while (count.isRunning) await delay(1);
    return count;
  }

  test("follows the link to the workspace, and no other", async () => {
    makeFiles();
    expect((await counted(4)).hasTooMany).toBe(true);
    expect((await counted(5)).hasTooMany).toBe(false);
  });

  test("is followed by a pause", async () => {
    const count = await counted(1);
    makeFiles();
    expect((await counted(1, count)).hasTooMany).toBe(false);
    expect((await counted(1, { ...count, nextAtMs: 0 })).hasTooMany).toBe(true);
  });

  test("ends when its job has ended", async () => {
    makeFiles();
    expect((await counted(1, { ...newCount(), isCancelled: true })).hasTooMany).toBe(false);
  });
});

test("the use of a process is read from /proc, and an ended process has no use", () => {
  expect(useOf([process.pid], true)).toMatchObject({ memoryKib: expect.any(Number), pids: [process.pid] });
  expect(useOf([process.pid], true).memoryKib).toBeGreaterThan(1000);
  expect(useOf([process.pid], false).cpuMs).toBe(0);
  expect(useOf([2 ** 22 + 1], true)).toMatchObject({ memoryKib: 0, heldKib: 0, writtenBytes: 0, cpuMs: 0 });
});
