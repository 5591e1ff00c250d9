import { availableParallelism } from "node:os";
import { describe, expect, test } from "vitest";
import { FAULTS } from "./simulation/weather.ts";
import { coverageTable, inWords, tell, tryWorlds } from "./simulation/many-worlds.ts";

/** Always the same ones, so that a failure is a change's; and others each time, so that the next one is found. */
const KNOWN = { first: 1, count: 1500 };
const FRESH = { first: freshSeed(), count: 700 };
const RUNS_MIN = 20_000;

describe("simulated worlds", () => {
  let runs = 0;

  test.each([
    ["known", KNOWN],
    ["fresh", FRESH],
  ])("of %s seeds", async (kind, seeds) => {
    const report = await tryWorlds(seeds, availableParallelism());
    tell(`Worlds of ${kind} seeds from ${seeds.first} on: ${coverageTable(report)}`);
    expect(report.failures.map(inWords).join("\n\n")).toBe("");
    const happened = new Set(report.coverage.map(([what]) => what));
    expect(FAULTS.filter((fault) => !happened.has(fault))).toEqual([]);
    runs += report.runs;
  });

  test("are many", () => {
    expect(runs).toBeGreaterThanOrEqual(RUNS_MIN);
  });
});

function freshSeed(): number {
  return 1_000_000 + Math.floor(Math.random() * 1_000_000_000);
}
