import type { Break } from "./break-module.ts";

export type Witness = "scenarios" | "worlds";

/** A broken server: the sound server with replaced exports of one module. */
export interface Mutant {
  readonly name: string;
  readonly breaks: Break;
  /** The checks that must notice: the first check in every run, all checks in nightly runs. */
  readonly caughtBy: readonly Witness[];
}
