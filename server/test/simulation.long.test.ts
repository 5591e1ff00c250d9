import { availableParallelism } from "node:os";
import { expect, test } from "vitest";
import { coverageTable, inWords, tell, tryWorlds } from "./simulation/many-worlds.ts";

const RUNS_MIN = 1_000_000;
const WORLDS_AT_ONCE = 5000;

test("a million simulated runs", async () => {
  let first = 2_000_000_000 + Math.floor(Math.random() * 1_000_000_000);
  let runs = 0;
  while (runs < RUNS_MIN) {
    const report = await tryWorlds({ first, count: WORLDS_AT_ONCE }, availableParallelism());
    tell(`Worlds from seed ${first} on: ${coverageTable(report)}`);
    expect(report.failures.map(inWords).join("\n\n")).toBe("");
    runs += report.runs;
    first += WORLDS_AT_ONCE;
  }
});
