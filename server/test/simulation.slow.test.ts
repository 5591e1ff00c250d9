import { describe, expect, test } from "vitest";
import { coverageTable, inAll, inWords, tell, tryWorlds } from "./simulation/many-worlds.ts";
import type { WorldsReport } from "./simulation/run-worlds.ts";
import { FAULTS } from "./simulation/weather.ts";

/** Fixed seeds, so that a failure is due to a change. `FRESH` has new ones each time, to find the next fault. */
const KNOWN = { kind: "known", first: 1, batches: 5 };
const FRESH = { kind: "fresh", first: freshSeed(), batches: 2 };
const BATCH_WORLDS = 180;
const RUNS_MIN = 20_000;

const BATCHES = [KNOWN, FRESH].flatMap(({ kind, first, batches }) =>
  Array.from({ length: batches }, (_, index) => ({ kind, first: first + index * BATCH_WORLDS })),
);

describe("simulated worlds", () => {
  const reports: WorldsReport[] = [];

  test.for(BATCHES)("of $kind seeds from $first on keep every promise", async ({ first }, { signal }) => {
    const report = await tryWorlds({ first, count: BATCH_WORLDS }, signal);
    reports.push(report);
    expect(report.failures.map(inWords).join("\n\n")).toBe("");
  });

  test("are many, and everything that can go wrong in them does", () => {
    const all = inAll(reports);
    tell(`Fresh seeds from ${FRESH.first} on. ${coverageTable(all)}`);
    expect(all.runs).toBeGreaterThanOrEqual(RUNS_MIN);
    const happened = new Set(all.coverage.map(([what]) => what));
    expect(FAULTS.filter((fault) => !happened.has(fault))).toEqual([]);
  });
});

function freshSeed(): number {
  return 1_000_000 + Math.floor(Math.random() * 1_000_000_000);
}
