/** The end of a run on one of the two servers. */
export interface ShadowSide {
  readonly status: string;
  /** Time from the start to the end, if both are known. */
  readonly seconds: number | null;
  /** Words of the failure, if the run failed. */
  readonly failure: string | null;
}

/**
 * Kinds of results. A comparison has the first kind of difference in this order: status, outputs, words of the failure,
 * duration. `refused`: the other server did not take the run. `not-compared`: no statement is possible.
 */
export const SHADOW_KINDS = [
  "status",
  "outputs",
  "words",
  "duration",
  "refused",
  "not-compared",
  "same",
] as const;
export type ShadowKind = (typeof SHADOW_KINDS)[number];

/** Kinds of results that do not count for or against a move. */
export const UNJUDGED_KINDS: readonly ShadowKind[] = ["not-compared"];
/** Kinds of results without a difference for the user. */
const AGREEING: readonly ShadowKind[] = ["same", "words", "duration"];

/** The comparison of a run with its copy on another server. */
export interface ShadowResult {
  readonly kind: ShadowKind;
  /** The difference in a few words, the same for runs that differ in the same way. */
  readonly cause: string;
  readonly here?: ShadowSide;
  readonly there?: ShadowSide;
  /** Paths of outputs with another content, or that only one server has. */
  readonly outputs: readonly string[];
}

/** Returns the result of a run about which no statement is possible. */
export function notCompared(cause: string): ShadowResult {
  return { kind: "not-compared", cause, outputs: [] };
}

/** A duration differs if a run takes longer than the other run by both the factor and the difference. */
const TIMES_LONGER = 2;
const SECONDS_LONGER = 10;

/** Names the difference of two ended runs. */
export function differenceOf(
  here: ShadowSide,
  there: ShadowSide,
  outputs: readonly string[],
): Pick<ShadowResult, "kind" | "cause"> {
  if (here.status !== there.status)
    return { kind: "status", cause: `${here.status} here, ${there.status} there` };
  if (outputs.length > 0) {
    const [first] = outputs;
    const cause = outputs.length === 1 ? `${first} differs` : `${first} and other outputs differ`;
    return { kind: "outputs", cause };
  }
  if (here.failure !== null && there.failure !== null && here.failure.trim() !== there.failure.trim())
    return { kind: "words", cause: `${here.status} on both, in other words` };
  return longer(here, there) ?? { kind: "same", cause: "same result" };
}

function longer(here: ShadowSide, there: ShadowSide): Pick<ShadowResult, "kind" | "cause"> | undefined {
  if (here.seconds === null || there.seconds === null) return undefined;
  const isLonger = (one: number, other: number) =>
    one >= TIMES_LONGER * other && one - other >= SECONDS_LONGER;
  if (isLonger(here.seconds, there.seconds))
    return { kind: "duration", cause: "same result, at least twice as long here" };
  if (isLonger(there.seconds, here.seconds))
    return { kind: "duration", cause: "same result, at least twice as long there" };
  return undefined;
}

/** Number of a user's newest compared runs that must agree before the user is ready to move. */
export const READY_AFTER = 5;

/** Whether a user's runs give the same on both servers. */
export const READINESS = ["ready", "differs", "too-few"] as const;
export type Readiness = (typeof READINESS)[number];

/** Judges a user by the kinds of the newest compared runs, `READY_AFTER` at most. */
export function readinessOf(newest: readonly ShadowKind[]): Readiness {
  if (newest.some((kind) => !AGREEING.includes(kind))) return "differs";
  return newest.length < READY_AFTER ? "too-few" : "ready";
}
