import { testMutants } from "./test-mutants.ts";

/** A mutant that several kinds of tests must catch is tried with each. */
testMutants((mutant) => mutant.caughtBy.slice(1));
