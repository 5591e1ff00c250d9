import { breakModule } from "./break-module.ts";
import { MUTANTS } from "./mutants.ts";

/**
 * Applies a mutant before the program of this process is loaded: `REPRISE_MUTANT=… node --import
 * apply-mutant.ts program.ts`.
 */
const name = process.env["REPRISE_MUTANT"];
const mutant = MUTANTS.find((one) => one.name === name);
if (!mutant) throw new Error(`There is no mutant named ${JSON.stringify(name)}.`);
await breakModule(mutant.breaks);
