import type { Break } from "./break-module.ts";

export type Witness = "scenarios" | "worlds";

/** A broken server: the sound one with exports of one module replaced by broken ones. */
export interface Mutant {
  readonly name: string;
  readonly breaks: Break;
  /** The checks that must notice: the first one always, and all of them in nightly runs. */
  readonly caughtBy: readonly Witness[];
}
