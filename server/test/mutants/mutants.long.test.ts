import { MUTANTS } from "./mutants.ts";
import { testMutants } from "./test-mutants.ts";

/** Every mutant is tried with each kind of test that must catch it. */
testMutants(MUTANTS, (mutant) => mutant.caughtBy);
