import { describe, expect, test } from "vitest";
import { tell } from "../simulation/many-worlds.ts";
import type { Mutant, Witness } from "./mutant.ts";
import { caughtByScenarios, caughtByWorlds } from "./try-mutant.ts";

/**
 * Limit of worlds for each mutant. Most mutants are caught in one of the first worlds, but the number of the
 * world changes with the code, so the limit is generous. A mutant that needs a rare world belongs to the
 * scenarios.
 */
const WORLDS_MAX = 500;

/** Defines tests of the tests: each of the mutants must be noticed by the chosen witnesses. */
export function testMutants(
  mutants: readonly Mutant[],
  witnesses: (mutant: Mutant) => readonly Witness[],
): void {
  const caughtBy = (witness: Witness) => mutants.filter((mutant) => witnesses(mutant).includes(witness));

  describe("a broken server", () => {
    test.concurrent.each(caughtBy("scenarios"))("that $name is caught by a scenario", async (mutant) => {
      const caught = await caughtByScenarios(mutant);
      tell(`${mutant.name}: ${caught ?? "not caught"}`);
      expect(caught).toBeDefined();
    });

    test.concurrent.for(caughtBy("worlds"))(
      "that $name is caught in a simulated world",
      async (mutant, { signal }) => {
        const { worlds, runs, failures } = await caughtByWorlds(mutant, WORLDS_MAX, signal);
        tell(`${mutant.name}: ${worlds} worlds, ${runs} runs; ${failures[0]?.failure ?? "not caught"}`);
        expect(failures).toHaveLength(1);
      },
    );
  });
}
