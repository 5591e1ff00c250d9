/**
 * The reason for a decision about a job: a kind, the deciding facts, and a sentence made of the facts. A
 * change of any fact would change the decision. Limits and resources of a job are never among the facts.
 */
export interface Decision {
  readonly kind: string;
  readonly facts: readonly Difference[];
  readonly sentence: string;
}

/** A fact in the previous run and now. `null` means no value. */
export interface Difference {
  /** `command`, `parameters.n`, a key of the step (`environment`), `inputs data/in.csv`, `files results/fit.json`. */
  readonly field: string;
  readonly before: unknown;
  readonly now: unknown;
}

/** Returns a fact without a comparison: by default, a fact about this run alone. */
export function fact(field: string, now: unknown, before: unknown = null): Difference {
  return { field, before, now };
}
