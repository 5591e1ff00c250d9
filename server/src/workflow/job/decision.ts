/**
 * The reason for a decision about a job: its kind, the facts that it rests on, and a sentence made of them. If one of the
 * facts were otherwise, so would be the decision. Limits and resources of a job are never among them.
 */
export interface Decision {
  readonly kind: string;
  readonly facts: readonly Difference[];
  readonly sentence: string;
}

/** A fact as it was in the previous run and as it is now. `null` means that there is, or was, nothing. */
export interface Difference {
  /** `command`, `parameters.n`, a key of the step (`environment`), `inputs data/in.csv`, `files results/fit.json`. */
  readonly field: string;
  readonly before: unknown;
  readonly now: unknown;
}

/** Returns a fact that is no difference between two values: by default, one of this run alone. */
export function fact(field: string, now: unknown, before: unknown = null): Difference {
  return { field, before, now };
}
