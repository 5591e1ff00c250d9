import { expect, test } from "vitest";
import { coverageTable, inAll, inWords, tell, tryWorlds } from "./many-worlds.ts";
import type { WorldsReport } from "./run-worlds.ts";

const RUNS_MIN = 1_000_000;
const BATCH_WORLDS = 5000;
/** Number of the fixed seeds, of which `simulation.slow.test.ts` draws some for each commit. */
const FIXED_SEEDS = 1164;

test("the fixed seeds keep every promise", async ({ signal }) => {
  const { failures } = await tryWorlds({ first: 1, count: FIXED_SEEDS }, signal);
  expect(failures.map(inWords).join("\n\n")).toBe("");
});

test("a million simulated runs keep every promise", async ({ signal }) => {
  const first = 2_000_000_000 + Math.floor(Math.random() * 1_000_000_000);
  const reports: WorldsReport[] = [];
  while (inAll(reports).runs < RUNS_MIN) {
    const seeds = { first: first + reports.length * BATCH_WORLDS, count: BATCH_WORLDS };
    reports.push(await tryWorlds(seeds, signal));
    tell(`Seeds from ${first} on. ${coverageTable(inAll(reports))}`);
    expect(reports.at(-1)!.failures.map(inWords).join("\n\n")).toBe("");
  }
});
