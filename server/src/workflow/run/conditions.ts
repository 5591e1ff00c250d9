/**
 * Conditions of a step that a repetition can hold fixed or change. Each has a first and a second value, both set by the
 * repetition. Repetitions with equal values have equal conditions. The second value of `network` is "no network".
 */
export const CONDITIONS = [
  "image",
  "undeclared",
  "clock",
  "hash-seed",
  "random",
  "path",
  "zone",
  "host",
  "user",
  "home",
  "locale",
  "order",
  "threads",
  "addresses",
  "umask",
  "variables",
  "processor",
  "network",
] as const;
export type Condition = (typeof CONDITIONS)[number];

/**
 * Conditions that are others in each run, even on one machine with one configuration. An image and an undeclared input can
 * be changed only if they were not the same in the two runs.
 */
export const CHANGING: ReadonlySet<Condition> = new Set([
  "image",
  "undeclared",
  "clock",
  "hash-seed",
  "random",
  "path",
  "home",
  "addresses",
]);

/** Conditions whose second value makes many steps fail. */
export const RISKY: ReadonlySet<Condition> = new Set(["image", "undeclared", "variables", "processor"]);

/** One repetition of a step. */
export interface Repeated {
  /** Number among the repetitions of the step, from 1 on. */
  readonly number: number;
  /** Conditions with their second value. All others have their first. */
  readonly varied: readonly Condition[];
}
