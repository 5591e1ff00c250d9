import { CHANGING, type Condition } from "#workflow/run/conditions";

/** A repetition of a step that has ended. */
export interface Repetition {
  /** Conditions with their second value. All others are held at their first. */
  readonly varied: readonly Condition[];
  /** True if an output differs from the output of the first repetition. */
  readonly isDifferent: boolean;
  /** True if the step failed or took too long. */
  readonly hasFailed: boolean;
}

export interface History {
  readonly repetitions: readonly Repetition[];
  /** Conditions that can be set where the step runs. */
  readonly available: readonly Condition[];
  /** The available conditions, the most likely cause first. */
  readonly likely: readonly Condition[];
  readonly maxRepetitions: number;
}

/** Why no cause is named. */
export type Unknown = "fails" | "not-alone" | "not-held" | "none-varies" | "several" | "budget";

export type NextStep =
  | { readonly kind: "repeat"; readonly varied: readonly (readonly Condition[])[] }
  | { readonly kind: "found"; readonly cause: Condition }
  | { readonly kind: "unknown"; readonly why: Unknown };

/** Each side of a proof is shown as often as this. */
const TIMES = 2;

/**
 * Decides which repetitions come next, or what the repetitions have shown. A condition is the cause only if both hold
 * twice: the outputs are equal while the condition is held and all others are changed that differ from run to run, and the
 * outputs differ while the condition alone is changed.
 */
export function nextStep(history: History): NextStep {
  const { repetitions, available, likely } = history;
  if (repetitions.some(({ hasFailed }) => hasFailed)) return { kind: "unknown", why: "fails" };
  const fixed = matching(repetitions, []);
  if (fixed.length < TIMES) return affordable(history, [[], [], available], TIMES + 1);
  if (fixed.some(({ isDifferent }) => isDifferent)) return { kind: "unknown", why: "not-held" };
  const all = matching(repetitions, available);
  if (all.every(({ isDifferent }) => !isDifferent)) return { kind: "unknown", why: "none-varies" };
  const isTried = (condition: Condition) => matching(repetitions, [condition]).length > 0;
  const suspect = available.find((condition) =>
    matching(repetitions, [condition]).some(({ isDifferent }) => isDifferent),
  );
  if (suspect !== undefined) return proof(history, suspect);
  const candidate = likely.find((condition) => !isTried(condition));
  if (candidate === undefined) return { kind: "unknown", why: "several" };
  // One repetition for the guess, and three more for the proof.
  return affordable(history, [[candidate]], TIMES * 2);
}

function proof(history: History, cause: Condition): NextStep {
  const { repetitions, available } = history;
  const others = available.filter((condition) => condition !== cause && CHANGING.has(condition));
  const alone = matching(repetitions, [cause]);
  const held = matching(repetitions, others);
  if (held.some(({ isDifferent }) => isDifferent)) return { kind: "unknown", why: "several" };
  if (alone.some(({ isDifferent }) => !isDifferent)) return { kind: "unknown", why: "not-held" };
  const missing = [
    ...Array.from({ length: TIMES - alone.length }, () => [cause]),
    ...Array.from({ length: TIMES - held.length }, () => others),
  ];
  return missing.length === 0 ? { kind: "found", cause } : affordable(history, missing, missing.length);
}

/** Repeats if the budget suffices to bring the thought to its end, else gives up. */
function affordable(
  { repetitions, maxRepetitions }: History,
  varied: readonly (readonly Condition[])[],
  needed: number,
): NextStep {
  if (repetitions.length + needed > maxRepetitions) return { kind: "unknown", why: "budget" };
  return { kind: "repeat", varied };
}

function matching(repetitions: readonly Repetition[], varied: readonly Condition[]): Repetition[] {
  return repetitions.filter(
    (one) =>
      one.varied.length === varied.length && varied.every((condition) => one.varied.includes(condition)),
  );
}

/** Returns the conditions that changed no output: changed alone, or together with others. */
export function excludedBy(repetitions: readonly Repetition[]): Condition[] {
  const equal = repetitions.filter(({ isDifferent, hasFailed }) => !isDifferent && !hasFailed);
  return [...new Set(equal.flatMap(({ varied }) => varied))];
}
