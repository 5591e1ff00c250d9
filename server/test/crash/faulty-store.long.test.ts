import { describe, expect, test } from "vitest";
import { tellStory } from "./faulty-story.ts";
import { SCENARIOS, tryScenario } from "../support/scenarios/run-scenarios.ts";

/** First seed. `REPRISE_TEST_SEED=4711` replaces the default. */
const FIRST = Number(process.env["REPRISE_TEST_SEED"] ?? 10_000);
const STORIES = 2000;
const AT_ONCE = 4;
const SEEDS_OF_A_SCENARIO = 100;

describe("a store that goes wrong, for long", { timeout: 3_600_000 }, () => {
  test(`${STORIES} stories from seed ${FIRST} on`, async () => {
    let seed = FIRST;
    const teller = async () => {
      while (seed < FIRST + STORIES) await tellStory(seed++);
    };
    await expect(Promise.all(Array.from({ length: AT_ONCE }, teller))).resolves.toHaveLength(AT_ONCE);
  });

  test.each(Object.entries(SCENARIOS))("%s", async (_name, scenario) => {
    for (let seed = FIRST; seed < FIRST + SEEDS_OF_A_SCENARIO; seed += 1) await tryScenario(scenario, seed);
  });
});
