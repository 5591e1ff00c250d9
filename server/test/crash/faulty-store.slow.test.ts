import { describe, test } from "vitest";
import { type Told, tellStory } from "./faulty-story.ts";
import { SCENARIOS, tryScenario } from "../support/scenarios/run-scenarios.ts";

/** Time for the stories. `faulty-store.long.test.ts` continues with more seeds. */
const BUDGET_MS = 8_000;
/** Number of the kinds of faults. */
const KINDS = 6;

describe("a store with faults", () => {
  test.each(Object.entries(SCENARIOS))("%s", async (_name, scenario) => {
    for (const seed of [1, 2, 3]) await tryScenario(scenario, seed);
  });

  test("in 5 % of its calls loses no run, runs nothing twice, and counts right", async () => {
    const told: Told[] = [];
    const beganAtMs = performance.now();
    const sum = (of: (one: Told) => number) => told.reduce((total, one) => total + of(one), 0);
    const kinds = () => new Set(told.flatMap((one) => [...one.faults.keys()])).size;
    const isEnough = () =>
      performance.now() - beganAtMs >= BUDGET_MS && kinds() === KINDS && sum((one) => one.deaths) > 0;
    for (let seed = 1; !isEnough(); seed += 4) {
      told.push(...(await Promise.all([0, 1, 2, 3].map((more) => tellStory(seed + more)))));
    }
    const faults = sum((one) => [...one.faults.values()].reduce((total, count) => total + count, 0));
    process.stdout.write(
      `${told.length} stories: ${sum((one) => one.runs)} runs, ${sum((one) => one.jobs)} jobs, ${faults} faults, ` +
        `${sum((one) => one.deaths)} dead servers\n`,
    );
  });
});
