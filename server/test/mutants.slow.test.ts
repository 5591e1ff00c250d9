import { describe, expect, test } from "vitest";
import { caughtBy, MUTANTS } from "./support/mutants.ts";

/** Tests of the tests: what is wrong with a runner must not go unnoticed. */
describe("broken runners", () => {
  test("the sound one is found sound", async () => {
    expect(await caughtBy(undefined)).toBeUndefined();
  });

  test.each(MUTANTS)("one that $name is caught", async (mutant) => {
    expect(await caughtBy(mutant)).toBeDefined();
  });
});
