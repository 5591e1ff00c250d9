import { CHANGING, type Condition, RISKY } from "#workflow/run/conditions";

/** A repetition of a step that has ended. */
export interface Repetition {
  /** Conditions set to the second value. */
  readonly varied: readonly Condition[];
  /** Index of the first repetition with equal outputs. */
  readonly sameAs: number;
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
export type Unknown =
  | "fails"
  | "not-alone"
  | "not-held"
  | "needs-network"
  | "none-varies"
  | "several"
  | "budget";

export type NextStep =
  | { readonly kind: "repeat"; readonly varied: readonly (readonly Condition[])[] }
  | { readonly kind: "found"; readonly cause: Condition }
  | { readonly kind: "unknown"; readonly why: Unknown };

/** Each side of a proof is shown as often as this. */
const TIMES = 2;
/** With the network, so many repetitions must all differ from one another. Two may differ by chance. */
const DIFFERENT_TIMES = 3;

/**
 * Decides which repetitions come next, or what the repetitions have shown. A condition is the cause only if both hold
 * twice: the outputs are equal while the condition is held and others are changed, and the outputs differ while the
 * condition alone is changed.
 */
export function nextStep(history: History): NextStep {
  const { repetitions, likely } = history;
  const fixed = matching(repetitions, []);
  if (fixed.length < TIMES) return affordable(history, [[], [], changeable(history)], TIMES + 1);
  if (fixed.some(({ hasFailed }) => hasFailed)) return unknown("fails");
  if (fixed.some(isDifferent)) return withoutNetwork(history);
  const available = bearable(history);
  const all = matching(repetitions, available);
  if (all.length === 0) return affordable(history, [available], 1);
  const mayFail =
    available.length < changeable(history).length ? matching(repetitions, changeable(history)) : [];
  if (repetitions.some((one) => one.hasFailed && !mayFail.includes(one))) return unknown("fails");
  if (!all.some(isDifferent)) return unknown("none-varies");
  const isTried = (condition: Condition) => matching(repetitions, [condition]).length > 0;
  const suspect = available.find((condition) => matching(repetitions, [condition]).some(isDifferent));
  if (suspect !== undefined) return proof(history, suspect, available);
  const candidate = likely.find((condition) => available.includes(condition) && !isTried(condition));
  if (candidate === undefined) return unknown("several");
  // One repetition for the guess, and three more for the proof.
  return affordable(history, [[candidate]], TIMES * 2);
}

/** Returns whether the outputs are others than in the first repetition. */
export function isDifferent({ sameAs }: Repetition): boolean {
  return sameAs !== 0;
}

/** The network is cut off only if the outputs differ without any change. */
function changeable({ available }: History): Condition[] {
  return available.filter((condition) => condition !== "network");
}

/** Leaves the conditions out that make many steps fail, if the step has failed with all conditions changed. */
function bearable(history: History): Condition[] {
  const all = changeable(history);
  const hasFailed = matching(history.repetitions, all).some((one) => one.hasFailed);
  return hasFailed ? all.filter((condition) => !RISKY.has(condition)) : all;
}

/**
 * Proves the cause. For a cause that changes from run to run, only others of this kind are changed while it is held: the
 * cause is there, even if the time zone matters as well. For another one, all are changed, because it is unknown which
 * of them was different in the original run.
 */
function proof(history: History, cause: Condition, available: readonly Condition[]): NextStep {
  const { repetitions } = history;
  const others = available.filter(
    (condition) => condition !== cause && (CHANGING.has(condition) || !CHANGING.has(cause)),
  );
  const alone = matching(repetitions, [cause]);
  const held = matching(repetitions, others);
  if (held.some(isDifferent)) return unknown("several");
  if (alone.some((one) => !isDifferent(one))) return unknown("not-held");
  const missing = [...times(TIMES - alone.length, [cause]), ...times(TIMES - held.length, others)];
  return missing.length === 0 ? { kind: "found", cause } : affordable(history, missing, missing.length);
}

/**
 * Looks for the cause of outputs that differ though nothing is changed: without the network they must all be equal, also
 * while what changes from run to run is changed.
 */
function withoutNetwork(history: History): NextStep {
  const { repetitions, available } = history;
  if (!available.includes("network")) return unknown("not-held");
  const others = available.filter((condition) => condition === "network" || CHANGING.has(condition));
  const [alone, held] = [matching(repetitions, ["network"]), matching(repetitions, others)];
  const cut = [...alone, ...held];
  if (cut.some(({ hasFailed }) => hasFailed)) return unknown("needs-network");
  const open = repetitions.filter((one) => !cut.includes(one) && !one.hasFailed);
  const distinct = new Set([...open, ...cut.slice(0, 1)].map(({ sameAs }) => sameAs));
  const isShown = open.length >= DIFFERENT_TIMES && distinct.size === open.length + Math.min(1, cut.length);
  if (!isShown || new Set(cut.map(({ sameAs }) => sameAs)).size > 1) return unknown("not-held");
  if (cut.length === TIMES * 2) return { kind: "found", cause: "network" };
  // Noise of another source shows after one repetition of each kind.
  return affordable(history, [["network"], others], TIMES * 2 - cut.length);
}

function unknown(why: Unknown): NextStep {
  return { kind: "unknown", why };
}

function times(count: number, varied: readonly Condition[]): (readonly Condition[])[] {
  return Array.from({ length: count }, () => varied);
}

/** Repeats if the budget suffices to bring the thought to its end, else gives up. */
function affordable(
  { repetitions, maxRepetitions }: History,
  varied: readonly (readonly Condition[])[],
  needed: number,
): NextStep {
  if (repetitions.length + needed > maxRepetitions) return unknown("budget");
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
  const equal = repetitions.filter((one) => !isDifferent(one) && !one.hasFailed);
  const cut = repetitions.filter(({ varied, hasFailed }) => varied.includes("network") && !hasFailed);
  const isNoisy = new Set(cut.map(({ sameAs }) => sameAs)).size > 1;
  return [...new Set([...equal.flatMap(({ varied }) => varied), ...(isNoisy ? (["network"] as const) : [])])];
}
