import { describe, expect, test } from "vitest";
import { lastPart, readJobLogs } from "#operations/watch/logs/job-logs";
import { createMask } from "#plumbing/secrets/mask";
import type { JobRecord } from "#store/jobs/jobs";
import type { Run } from "#store/runs/runs";
import type { Connection } from "#store/database/database";

const RUNNING = { status: "running" } as Run;
const NO_DATABASE = undefined as unknown as Connection;

async function read(logs: readonly (string | Buffer)[], maxBytes: number): Promise<string[]> {
  const jobs = logs.map((_, index) => ({ id: String(index), backend: "Local" }) as JobRecord);
  const jobLogs = {
    read: async (address: string, from: number, max: number) =>
      Buffer.from(logs[Number(address.split("/")[1])]!)
        .subarray(from)
        .subarray(0, max),
    size: async (address: string) => Buffer.byteLength(logs[Number(address.split("/")[1])]!),
    remove: async () => undefined,
  };
  const secrets = { maybeForJobs: async () => undefined, mask: async () => createMask([]) };
  const logged = await readJobLogs({ db: NO_DATABASE, jobLogs, secrets }, RUNNING, jobs, maxBytes);
  return logged.map(({ log }) => log);
}

describe("what jobs printed, within a limit", () => {
  test("is whole when it fits to the byte", async () => {
    expect(await read(["ab\n", "", "cde\n"], 12)).toEqual(["ab\n", "", "cde\n"]);
  });

  test("is cut to the last whole lines if too long, and says so", async () => {
    const [log] = await read(["one\ntwo\nthree\n"], 9);
    expect(log).toMatch(/^\[Earlier output is left out here, .*\]\nthree\n$/);
    const [exact] = await read(["one\ntwo\nthree\n"], 10);
    expect(exact).toMatch(/\]\ntwo\nthree\n$/);
  });

  test("space that a short log does not need goes to the longer logs after it", async () => {
    const [short, long] = await read(["a\n", "x".repeat(90)], 100);
    expect([short, long]).toEqual(["a\n", "x".repeat(90)]);
  });

  test("is cut between characters where there are no lines", async () => {
    const [log] = await read(["é".repeat(20)], 11);
    expect(log!.split("\n")[1]).toBe("é".repeat(5));
  });

  test("any bytes are returned as text", async () => {
    const [log] = await read([Buffer.from([0x61, 0xff, 0x00, 0x62])], 100);
    expect(log).toBe("a\ufffd\u0000b");
  });

  test("many jobs share a small limit", async () => {
    const logs = await read(Array(50).fill("y".repeat(1000)), 500);
    expect(logs.every((log) => /\]\ny{10}$/.test(log))).toBe(true);
  });
});

describe("the end of the engine's log", () => {
  test("is complete if short enough", () => expect(lastPart("a\nb\n", 4)).toBe("a\nb\n"));
  test("begins at a line", () => expect(lastPart("first\nlast\n", 7)).toMatch(/\]\nlast\n$/));
});
