import { expect, test } from "vitest";
import { drawn } from "../../../tools/draw.ts";
import { MUTANTS } from "./mutants.ts";
import { caughtByScenarios } from "./try-mutant.ts";
import { testMutants } from "./test-mutants.ts";

test("the sound server is found sound", async () => {
  expect(await caughtByScenarios(undefined)).toBeUndefined();
});

/** Each commit draws a quarter of the mutants. */
testMutants(
  drawn(MUTANTS, 4, ({ name }) => name),
  (mutant) => mutant.caughtBy.slice(0, 1),
);
