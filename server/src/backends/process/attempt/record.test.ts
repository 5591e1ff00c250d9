import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { claimForNobody, endIn, mark, readRecord, recordEnd } from "#backends/process/attempt/record";

describe("the record of an attempt", () => {
  let folder: string;

  beforeEach(() => {
    folder = mkdtempSync(path.join(os.tmpdir(), "reprise-record-"));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const write = (...lines: string[]) => writeFileSync(path.join(folder, "record"), lines.join("\n"));
  const CLAIM = "claimed 12 340 boot 1700000000.5 j 0 1000 .";

  test("has the supervisor, the process group, the end and the usage", () => {
    write(
      "",
      CLAIM,
      "",
      "0m1.250s 0m0.500s",
      "0m9.0s 0m1.0s",
      "",
      "group 13 .",
      "",
      "0m1.3s 0m0.6s",
      "1m9.04s 0m1.03s",
      "",
      "ended 3 1700000002.25 .",
      "",
    );
    expect(readRecord(folder)).toMatchObject({
      owner: { pid: 12, born: "340", bootId: "boot" },
      group: 13,
    });
    expect(endIn(folder)).toEqual({
      reason: "exited",
      exitCode: 3,
      startedAtMs: 1_700_000_000_500,
      endedAtMs: 1_700_000_002_250,
      usage: { cpuMs: 60_070 },
    });
  });

  test("the processor time that the kernel counted is the difference between before and after", () => {
    const usage = (...lines: string[]) => {
      write(CLAIM, ...lines, "ended 0 1700000001 .", "");
      return endIn(folder)!.usage;
    };
    expect(usage("counted 5000 .", "counted 12345600 .")).toEqual({ cpuMs: 12_341 });
    expect(usage("counted 5000 .")).toBeUndefined();
    expect(usage("counted 5000 .", "spent 70 .", "counted 25000 .")).toEqual({
      cpuMs: 70,
      sampled: ["cpuMs"],
    });
  });

  test("a value that the keeper sampled is marked as sampled, and one that the kernel counted is not", () => {
    const ended = (...lines: string[]) => {
      write(CLAIM, ...lines, "ended 137 1700000001 .", "");
      return endIn(folder)!.usage;
    };
    expect(ended("peak 3000 .", "peak 5000 .")).toEqual({ peakBytes: 5000, sampled: ["peakBytes"] });
    expect(ended("peak 3000 .", "cpu 70 .", "cpu 90 .")).toEqual({
      cpuMs: 90,
      peakBytes: 3000,
      sampled: ["cpuMs", "peakBytes"],
    });
    expect(ended("peak 3000 .", "marked out-of-memory 5000 .")).toEqual({
      peakBytes: 5000,
      sampled: ["peakBytes"],
    });
    expect(ended("peak 7000 .", "marked out-of-memory 5000 exact .")).toEqual({ peakBytes: 5000 });
    expect(ended()).toBeUndefined();
  });

  test("the first claim, mark and end count", () => {
    write(CLAIM, "claimed 14 350 boot 1700000001 j 0 1000 .", "marked time-limit .", "marked cancelled .");
    expect(readRecord(folder).owner).toMatchObject({ pid: 12 });
    expect(claimForNobody(folder, 0)).toBe(false);
    expect(recordEnd(folder, 1_700_000_003_000)).toMatchObject({ reason: "time-limit", exitCode: null });
    const late = `${readFileSync(path.join(folder, "record"), "latin1")}ended 0 1700000009 .\n`;
    write(late);
    expect(endIn(folder)).toMatchObject({ exitCode: null, endedAtMs: 1_700_000_003_000 });
  });

  test("a job that ran too long ends with a sentence that names the limit", () => {
    write(
      "claimed 12 340 boot 1700000000.5 j 350 1000 .",
      "marked time-limit .",
      "ended 143 1700000004 .",
      "",
    );
    expect(endIn(folder)).toMatchObject({ reason: "time-limit", detail: "The limit is 3.5 s." });
  });

  test("a job that printed too much ends with a sentence that names the limit", () => {
    write(CLAIM, "marked output-limit .", "ended 143 1700000001 .", "");
    expect(endIn(folder)).toMatchObject({ reason: "output-limit", detail: "The limit is 1000 Bytes." });
  });

  test("the highest measurement before the end counts", () => {
    write(CLAIM, "peak 1024 .", "peak 4096 .", "peak 2048 .", "ended 0 1700000001 .", "peak 9999 .", "");
    expect(endIn(folder)).toMatchObject({ reason: "exited", usage: { peakBytes: 4096 } });
  });

  test("a job with anything else in place of its log is lost", () => {
    write(CLAIM, "damaged log pipe .", "ended 0 1700000001 .", "");
    expect(endIn(folder)).toMatchObject({
      reason: "lost",
      exitCode: null,
      detail: expect.stringMatching(/^A named pipe was found in place of its log, /),
    });
    write(CLAIM, "ended 0 1700000001 .", "damaged log pipe .", "");
    expect(endIn(folder)).toMatchObject({ reason: "exited", exitCode: 0 });
  });

  test.each([
    "group 1 .",
    "group 0 .",
    "group 99999999 .",
    "ended 4294967296 1700000001 .",
    "ended 0 1e400 .",
    "ended 0 99999999999999999999 .",
    "marked anything .",
    "damaged record by-me .",
    "peak -1 .",
    "claimed 1 2 boot 1700000000 j 0 1000 .",
    "claimed 12 340 boot NaN j 0 1000 .",
    "claimed 12 340 boot 1700000000 j 0 99999999999999999999 .",
    "99999999999999999999m0.000s 0m0.000s",
    "0m1e99s 0m0.000s",
  ])("%s was written by a job", (line) => {
    write(CLAIM, line, "");
    expect(() => readRecord(folder)).toThrow("A line that Reprise does not write was found in the record");
  });

  test.each(["anything else", "ended 0", "0m0.000s 0m0.0", "group", ""])(
    "%j is an incomplete or unknown line and is ignored",
    (line) => {
      write(CLAIM, line, "");
      expect(readRecord(folder)).toMatchObject({ owner: { pid: 12 }, ended: undefined });
    },
  );

  test("a mark after the end is ignored", () => {
    write(CLAIM, "ended 0 1700000001 .", "marked cancelled .", "");
    expect(endIn(folder)).toMatchObject({ reason: "exited", exitCode: 0 });
  });

  test.each([
    ["an end without its dot", "ended 0 1700000001"],
    ["an end that is cut off", "ended 0 17"],
    ["an end without its line end", "ended 0 1700000001 ."],
  ])("%s is ignored, and the lines after it count", (_what, line) => {
    write(CLAIM, line);
    expect(endIn(folder)).toBeUndefined();
    mark(folder, "cancelled");
    expect(recordEnd(folder, 5000)).toMatchObject({ exitCode: line.endsWith(".") ? 0 : null });
  });

  test("an incomplete claim is ignored, and the next one counts", () => {
    write("", "claimed 12 340 bo");
    expect(readRecord(folder).owner).toBeUndefined();
    expect(claimForNobody(folder, 1000)).toBe(true);
    expect(recordEnd(folder, 2000)).toEqual({
      reason: "not-started",
      exitCode: null,
      startedAtMs: null,
      endedAtMs: 2000,
    });
  });

  test("a claim without an end is recorded as lost", () => {
    write(CLAIM, "");
    expect(recordEnd(folder, 1_700_000_009_000)).toMatchObject({ reason: "lost", exitCode: null });
  });

  test("no job ends before it starts, even if the clock was set back in between", () => {
    write(CLAIM, "ended 0 1600000000 .", "");
    expect(endIn(folder)).toMatchObject({ startedAtMs: 1_700_000_000_500, endedAtMs: 1_700_000_000_500 });
  });

  test("the file's time counts if the shell cannot tell the time", () => {
    write("claimed 12 - boot - j 0 1000 .", "ended 0 - .", "");
    const end = endIn(folder)!;
    expect(end.usage).toBeUndefined();
    expect(Math.abs(end.startedAtMs! - Date.now())).toBeLessThan(10_000);
    expect(end.endedAtMs).toBeGreaterThanOrEqual(end.startedAtMs!);
  });

  test("without a record, nothing has happened", () => {
    expect(readRecord(folder)).toEqual({
      owner: undefined,
      startedAtMs: undefined,
      maxTicks: 0,
      maxOutputBytes: 0,
      maxMemoryBytes: 0,
      maxProcesses: 0,
      maxDiskBytes: 0,
      maxFiles: 0,
      used: 0,
      isUsedExact: false,
      group: undefined,
      mark: undefined,
      ended: undefined,
      cpuMs: undefined,
    });
  });
});
