import { expect, test } from "vitest";
import { caughtByScenarios } from "./try-mutant.ts";
import { testMutants } from "./test-mutants.ts";

test("the sound server is found sound", async () => {
  expect(await caughtByScenarios(undefined)).toBeUndefined();
});

testMutants((mutant) => mutant.caughtBy.slice(0, 1));
