import { describe, expect, test } from "vitest";
import { drawn } from "../../../tools/draw.ts";
import { coverageTable, inAll, inWords, tell, tryWorlds } from "./many-worlds.ts";
import type { WorldsReport } from "./run-worlds.ts";
import { FAULTS } from "./weather.ts";
import { DOCUMENTS } from "./workload/languages.ts";

/**
 * The seeds are fixed, so that a failure is due to a change. Each commit draws two of the batches.
 * `simulation.long.test.ts` tries new seeds, to find faults.
 */
const BATCHES = 6;
const BATCH_WORLDS = 194;
const RUNS_MIN = 6500;

const FIRST_SEEDS = drawn(
  Array.from({ length: BATCHES }, (_, index) => 1 + index * BATCH_WORLDS),
  3,
  String,
);

describe("simulated worlds", () => {
  const reports: WorldsReport[] = [];

  test.for(FIRST_SEEDS)("of the seeds from %i on keep every promise", async (first, { signal }) => {
    const report = await tryWorlds({ first, count: BATCH_WORLDS }, signal);
    reports.push(report);
    expect(report.failures.map(inWords).join("\n\n")).toBe("");
  });

  test("are many, and every possible fault happens", () => {
    const all = inAll(reports);
    tell(coverageTable(all));
    expect(all.runs).toBeGreaterThanOrEqual(RUNS_MIN);
    const happened = new Set(all.coverage.map(([what]) => what));
    expect(FAULTS.filter((fault) => !happened.has(fault))).toEqual([]);
    expect(DOCUMENTS.filter((name) => !happened.has(`finished: ${name}`))).toEqual([]);
  });
});
