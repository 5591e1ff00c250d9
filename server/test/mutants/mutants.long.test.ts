import { MUTANTS } from "./mutants.ts";
import { testMutants } from "./test-mutants.ts";

/** Every mutant is tried with each kind of test named in `caughtBy`. */
testMutants(MUTANTS, (mutant) => mutant.caughtBy);
