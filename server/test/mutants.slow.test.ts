import { describe, expect, test } from "vitest";
import { tell } from "./simulation/many-worlds.ts";
import { caughtByScenarios, caughtByWorlds, MUTANTS } from "./support/mutants.ts";

/**
 * Limit of worlds for each mutant. Most are caught in one of the first few, but a change of the code changes in which
 * one, so the limit is generous. A mutant that needs a rare world belongs to the scenarios.
 */
const WORLDS_MAX = 500;

/** Tests of the tests: a broken server must not go unnoticed. */
describe("broken servers", () => {
  test("the sound one is found sound", async () => {
    expect(await caughtByScenarios(undefined)).toBeUndefined();
  });

  test.concurrent.each(MUTANTS.filter((mutant) => mutant.caughtBy.includes("scenarios")))(
    "one that $name is caught by a scenario",
    async (mutant) => {
      expect(await caughtByScenarios(mutant)).toBeDefined();
    },
  );

  test.concurrent.for(MUTANTS.filter((mutant) => mutant.caughtBy.includes("worlds")))(
    "one that $name is caught in a simulated world",
    async (mutant, { signal }) => {
      const { worlds, runs, failures } = await caughtByWorlds(mutant, WORLDS_MAX, signal);
      tell(`${mutant.name}: ${worlds} worlds, ${runs} runs; ${failures[0]?.failure ?? "not caught"}`);
      expect(failures).toHaveLength(1);
    },
  );
});
