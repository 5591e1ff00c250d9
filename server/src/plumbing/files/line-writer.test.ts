import { readFile, stat } from "node:fs/promises";
import path from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { folderForEach } from "#plumbing/files/folder-fixture";
import { openLineWriter } from "#plumbing/files/line-writer";

describe("the line writer", () => {
  let folder: string;
  let file: string;
  const noReport = (sentence: string) => expect.unreachable(sentence);

  folderForEach((made) => void (folder = made));

  beforeEach(async () => {
    file = path.join(folder, "logs", "a.log");
  });
  test("writes all lines in order, in few writes, into a file of its owner", async () => {
    const writer = openLineWriter(file, noReport);
    const lines = Array.from({ length: 20_000 }, (_, index) => `line ${index} ${"é".repeat(index % 20)}\n`);
    for (const line of lines) writer.write(line);
    await writer.close();
    expect(await readFile(file, "utf8")).toBe(lines.join(""));
    expect((await stat(file)).mode & 0o777).toBe(0o600);
  });

  test("appends to what an earlier one wrote", async () => {
    for (const line of ["one\n", "two\n"]) {
      const writer = openLineWriter(file, noReport);
      writer.write(line);
      await writer.close();
    }
    expect(await readFile(file, "utf8")).toBe("one\ntwo\n");
  });

  test("a few lines are written after a while without a flush", async () => {
    const writer = openLineWriter(file, noReport);
    writer.write("one\n");
    await expect.poll(() => readFile(file, "utf8")).toBe("one\n");
    await writer.close();
  });

  test("flush writes at once", async () => {
    const writer = openLineWriter(file, noReport);
    writer.write("one\n");
    writer.flush();
    expect(await readFile(file, "utf8")).toBe("one\n");
    await writer.close();
  });

  test("a full disk is reported once, and nothing is thrown", async () => {
    const reports: string[] = [];
    // A device that refuses every write, as a full disk does.
    const writer = openLineWriter("/dev/full", (sentence) => void reports.push(sentence));
    writer.write("one\n");
    writer.flush();
    writer.write("two\n");
    await writer.close();
    expect(reports).toEqual([expect.stringMatching(/^The log cannot be written: ENOSPC/)]);
  });

  test("lines that come faster than they can be written are bounded", async () => {
    const reports: string[] = [];
    const writer = openLineWriter(file, (sentence) => void reports.push(sentence));
    const line = `${"x".repeat(1023)}\n`;
    // One synchronous loop: nothing is written before it ends.
    for (let count = 0; count < 40_000; count += 1) writer.write(line);
    await writer.close();
    expect(reports).toEqual([expect.stringContaining("its file accepts lines too slowly")]);
    expect((await stat(file)).size).toBeLessThan(20 * 2 ** 20);
  });
});
