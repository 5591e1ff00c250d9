import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, constants, existsSync, openSync, readSync } from "node:fs";
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import { setImmediate } from "node:timers/promises";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { withFewDescriptors } from "#plumbing/descriptors-suite";
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

  test("appends to the text of an earlier writer", async () => {
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
    expect(reports).toEqual([expect.stringMatching(/^The log \/dev\/full cannot be written: ENOSPC/)]);
  });

  test("after a write that stored half a line, the next line begins on a line of its own", async () => {
    const fixture = path.join(import.meta.dirname, "full-file-fixture.ts");
    // A limit of the size of files acts like a full disk: a write stores what fits, and the next one fails.
    const script = 'ulimit -S -f 4; exec "$0" "$@"';
    const child = spawn("bash", ["-c", script, process.execPath, fixture, file]);
    const [reports] = (await once(child.stdout, "data")) as [Buffer];
    expect(JSON.parse(reports.toString())).toEqual([
      expect.stringContaining(`The log ${file} cannot be written: EFBIG`),
    ]);
    execFileSync("prlimit", ["--pid", String(child.pid), "--fsize=unlimited"]);
    child.stdin.end();
    await once(child, "exit");
    const [whole, torn, ...after] = (await readFile(file, "utf8")).split("\n");
    expect([whole!.length, torn!.length]).toEqual([3000, 1095]);
    expect(after).toEqual(["after the loss", "and later", ""]);
  });

  test("a file that an earlier server left within a line is continued on a new line", async () => {
    await mkdir(path.dirname(file));
    await writeFile(file, "whole\nto");
    const writer = openLineWriter(file, noReport);
    for (const line of ["one\n", "two\n"]) {
      writer.write(line);
      writer.flush();
    }
    await writer.close();
    expect(await readFile(file, "utf8")).toBe("whole\nto\none\ntwo\n");
  });

  test("a long line is written by the next flush", async () => {
    const writer = openLineWriter(file, noReport);
    const line = `${"x".repeat(100_000)}\n`;
    writer.write(line);
    writer.flush();
    expect(await readFile(file, "utf8")).toBe(line);
    await writer.close();
  });

  test("a pipe with a slow reader receives each line once and in order, whether lines are flushed or not", async () => {
    const pipe = path.join(folder, "pipe");
    execFileSync("mkfifo", [pipe]);
    // The pipe holds 64 KiB, and a write to a full one fails with EAGAIN.
    const fd = openSync(pipe, constants.O_RDWR | constants.O_NONBLOCK);
    const writer = openLineWriter(fd, noReport);
    const sent: string[] = [];
    for (let count = 0; count < 3000; count += 1) {
      sent.push(`${count} ${"x".repeat(90)}\n`);
      writer.write(sent.at(-1)!);
      if (count % 1000 === 500) writer.flush();
    }
    const closed = writer.close();
    const received: Buffer[] = [];
    const part = Buffer.alloc(30_000);
    while (Buffer.concat(received).length < sent.join("").length) {
      await new Promise((resolve) => setTimeout(resolve, 5));
      try {
        received.push(Buffer.from(part.subarray(0, readSync(fd, part))));
        writer.flush();
      } catch (error) {
        expect(error).toMatchObject({ code: "EAGAIN" });
      }
    }
    await closed;
    closeSync(fd);
    expect(Buffer.concat(received).toString()).toBe(sent.join(""));
  });

  test("lines that arrive during a write are collected, and not written as soon as it ends", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    try {
      // Every write rotates the file, so the files show the writes.
      const rotation = { maxBytes: 1, maxAgeMs: 60_000, kept: 5, clock: { now: () => Date.now() } };
      const writer = openLineWriter(file, noReport, rotation);
      writer.write("one\n");
      writer.reopen();
      writer.write("two\n");
      while (!existsSync(`${file}.1`)) await setImmediate();
      writer.write("three\n");
      await writer.close();
      expect(await readFile(`${file}.2`, "utf8")).toBe("one\n");
      expect(await readFile(`${file}.1`, "utf8")).toBe("two\nthree\n");
    } finally {
      vi.useRealTimers();
    }
  });

  describe("rotation", () => {
    const line = `${"x".repeat(99)}\n`;
    const rotation = { maxBytes: 1000, maxAgeMs: 60_000, kept: 2, clock: { now: () => Date.now() } };
    const written = async (suffix = "") => (await readFile(file + suffix, "utf8")).length;

    test("by size: the newest is .1, and as many are kept as wanted", async () => {
      const writer = openLineWriter(file, noReport, rotation);
      for (const [index, count] of [10, 11, 12, 13, 3].entries()) {
        for (let left = count; left > 0; left -= 1) writer.write(line);
        if (index < 4) await expect.poll(() => written(".1").catch(() => 0)).toBe(count * 100);
      }
      await writer.close();
      expect([await written(), await written(".1"), await written(".2")]).toEqual([300, 1300, 1200]);
      expect((await readdir(path.dirname(file))).sort()).toEqual(["a.log", "a.log.1", "a.log.2"]);
      expect((await stat(file)).mode & 0o777).toBe(0o600);
    });

    test("by age, before the next line is written", async () => {
      let nowMs = Date.now();
      const writer = openLineWriter(file, noReport, { ...rotation, clock: { now: () => nowMs } });
      writer.write(line);
      await expect.poll(() => written()).toBe(100);
      nowMs += 61_000;
      writer.write(line);
      // The clock also makes the new file too old after its first line.
      await expect.poll(() => written(".2").catch(() => 0)).toBe(100);
      expect(await written(".1")).toBe(100);
      await writer.close();
    });

    test("a file that cannot be moved aside is written on, and that is reported once", async () => {
      const reports: string[] = [];
      const writer = openLineWriter(file, (sentence) => void reports.push(sentence), rotation);
      await mkdir(`${file}.1/in-the-way`, { recursive: true });
      await mkdir(`${file}.2/in-the-way`, { recursive: true });
      for (let count = 0; count < 2; count += 1) {
        for (let left = 10; left > 0; left -= 1) writer.write(line);
        await expect.poll(() => written()).toBe(1000 * (count + 1));
      }
      await writer.close();
      expect(reports).toEqual([expect.stringContaining(`The log ${file} cannot be rotated`)]);
    });

    /** Opens a writer whose file is large after one line, and offers to write a line and to list the files. */
    const LARGE_FILES = `
      import { readdirSync, readFileSync, renameSync, statSync } from "node:fs";
      import path from "node:path";
      import { setTimeout } from "node:timers/promises";
      import { openLineWriter } from "#plumbing/files/line-writer";
      const file = process.argv[1];
      const reports = [];
      const rotation = { maxBytes: 1000, maxAgeMs: 1e9, kept: 2, clock: Date };
      const writer = openLineWriter(file, (sentence) => reports.push(sentence), rotation);
      async function write(line, into = file) {
        const before = statSync(into, { throwIfNoEntry: false })?.size ?? 0;
        writer.write(line + "\\n");
        while ((statSync(into, { throwIfNoEntry: false })?.size ?? 0) === before) await setTimeout(5);
      }
      const sizes = () => ["", ".1", ".2", ".moved"].map((end) => statSync(file + end, { throwIfNoEntry: false })?.size);
      const names = () => readdirSync(path.dirname(file)).length;
    `;
    const threeFiles = async () => {
      await mkdir(path.dirname(file));
      for (const [end, length] of Object.entries({ "": 10, ".1": 11, ".2": 12 }))
        await writeFile(file + end, `${"x".repeat(length - 1)}\n`);
    };

    test("without a new file, no line is lost and the present file grows; later the file is rotated", async () => {
      await threeFiles();
      const code = `${LARGE_FILES}
        takeDescriptors();
        for (let count = 0; count < 4; count += 1) await write("x".repeat(999));
        const during = sizes();
        giveBackDescriptors();
        await write("later");
        await writer.close();
        print({ reports, during, after: sizes(), count: names() });`;
      expect(await withFewDescriptors(code, file)).toEqual({
        reports: [
          expect.stringMatching(/^The log \S+\/a\.log cannot be rotated: EMFILE.* Its file grows further\.$/),
        ],
        during: [4010, 11, 12, null],
        after: [6, 4010, 11, null],
        count: 3,
      });
    });

    test("a file that was moved is written on while its name cannot be opened again, and no other is lost", async () => {
      await threeFiles();
      const code = `${LARGE_FILES}
        renameSync(file, file + ".moved");
        takeDescriptors();
        writer.reopen();
        for (let count = 0; count < 4; count += 1) await write("x".repeat(999), file + ".moved");
        const during = sizes();
        giveBackDescriptors();
        await write("later");
        await writer.close();
        print({ reports, during, after: sizes(), count: names() });`;
      expect(await withFewDescriptors(code, file)).toEqual({
        reports: [expect.stringContaining("EMFILE")],
        during: [null, 11, 12, 4010],
        after: [6, 11, 12, 4010],
        count: 4,
      });
    });

    test("no file is removed while a number below it is free", async () => {
      await threeFiles();
      await rm(`${file}.1`);
      const writer = openLineWriter(file, noReport, rotation);
      writer.write(`${"x".repeat(999)}\n`);
      await expect.poll(() => written(".1").catch(() => 0)).toBe(1010);
      await writer.close();
      expect([await written(), await written(".2")]).toEqual([0, 12]);
    });

    test("with no older file to keep, a large one is replaced", async () => {
      const writer = openLineWriter(file, noReport, { ...rotation, kept: 0 });
      writer.write(`${"x".repeat(999)}\n`);
      await writer.close();
      expect(await readdir(path.dirname(file))).toEqual(["a.log"]);
      expect(await written()).toBe(0);
    });

    test("reopen follows a file that another program has moved, and loses no line", async () => {
      const writer = openLineWriter(file, noReport);
      writer.write("one\n");
      await expect.poll(() => written()).toBe(4);
      await rename(file, `${file}.moved`);
      writer.write("two\n");
      writer.reopen();
      writer.write("three\n");
      await expect.poll(() => written().catch(() => 0)).toBeGreaterThan(0);
      await writer.close();
      const both = (await readFile(`${file}.moved`, "utf8")) + (await readFile(file, "utf8"));
      expect(both).toBe("one\ntwo\nthree\n");
    });
  });

  test("lines arriving faster than the disk writes are bounded", async () => {
    const reports: string[] = [];
    const writer = openLineWriter(file, (sentence) => void reports.push(sentence));
    const line = `${"x".repeat(1023)}\n`;
    // The loop is synchronous: writing starts only after the loop.
    for (let count = 0; count < 40_000; count += 1) writer.write(line);
    await writer.close();
    expect(reports).toEqual([expect.stringContaining("writing to it is too slow")]);
    expect((await stat(file)).size).toBeLessThan(20 * 2 ** 20);
  });
});
