import { describe, expect, test } from "vitest";
import { SOME_RUN } from "#engines/contract-suite";
import type { EngineInput, PreviousJob, PreviousRun } from "#engines/engine";
import { serialEngine } from "#engines/serial/serial-engine";

/** Tests which files of an earlier run are leftovers because their commands run again. */

const input = (...commands: string[]): EngineInput => ({
  specification: {
    inputs: { files: ["in"] },
    workflow: {
      type: "serial",
      specification: { steps: commands.map((command) => ({ commands: [command] })) },
    },
  },
  parameters: {},
  options: {},
  run: SOME_RUN,
});

const IN = { path: "in", stamp: "i", sha256: "s" };
const job = (position: number, files: Record<string, string | null>, isWhole = false): PreviousJob => ({
  id: `job ${position}`,
  key: `${position}.0`,
  status: "finished",
  reason: "exited",
  stamps: { isWhole, files },
  imageDigest: null,
});

const PREVIOUS: PreviousRun = {
  ...input("a", "b", "c"),
  name: "w.1",
  inputs: [IN],
  hasExternalChange: false,
  stamps: null,
  jobs: [
    job(0, { in: "i", uploaded: "u", a: "1" }, true),
    job(1, { b: "1", log: "1" }),
    job(2, { c: "1", log: "2", b: null }),
  ],
};

function leftBehind(now: EngineInput, previous: Partial<PreviousRun> = {}, fresh = false) {
  const restart = { previous: { ...PREVIOUS, ...previous }, fresh, fromStep: null };
  const stamps = { in: "i", uploaded: "u", a: "1", log: "2", c: "1" };
  const stamped = { kind: "stamped" as const, id: "x", inputs: [IN], stamps };
  return serialEngine.reuse!.leftovers({ ...now, restart }, stamped);
}

describe("a rerun leaves behind", () => {
  test("no files, if all jobs are kept", () => {
    const jobs = [PREVIOUS.jobs[0]!, job(1, { log: "1" }), job(2, { c: "1", log: "2" })];
    expect(leftBehind(input("a", "b", "c"), { jobs })).toEqual({ made: [], perhapsMade: [] });
  });

  test("the files of repeated commands, unless changed by other commands", () => {
    expect(leftBehind(input("a", "b", "other"))).toEqual({ made: ["b", "log", "c"], perhapsMade: [] });
    expect(leftBehind(input("a", "b", "c"), {}, true)).toEqual({
      made: ["b", "log", "c"],
      perhapsMade: ["uploaded", "a"],
    });
  });

  test("no file older than the run", () => {
    const stamps = { in: "i", uploaded: "u", log: "0" };
    expect(leftBehind(input("other", "b", "c"), { stamps })).toEqual({
      made: ["a", "b", "c"],
      perhapsMade: [],
    });
  });

  test("no files, without an earlier run or with unknown files", () => {
    const restart = { previous: null, fresh: false, fromStep: null };
    const none = { made: [], perhapsMade: [] };
    expect(serialEngine.reuse!.leftovers({ ...input("a"), restart }, undefined)).toEqual(none);
    const jobs = PREVIOUS.jobs.map((one) => ({ ...one, stamps: null }));
    expect(leftBehind(input("other"), { jobs })).toEqual(none);
  });
});
