import { breakModule } from "./break-module.ts";
import { MUTANTS } from "./mutants.ts";

/** Breaks this process before its program is loaded: `REPRISE_MUTANT=… node --import apply-mutant.ts program.ts`. */
const name = process.env["REPRISE_MUTANT"];
const mutant = MUTANTS.find((one) => one.name === name);
if (!mutant) throw new Error(`There is no mutant named ${JSON.stringify(name)}.`);
await breakModule(mutant.breaks);
