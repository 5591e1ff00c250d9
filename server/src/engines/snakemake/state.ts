import type { PlanMessage, RequestedJob } from "#engines/snakemake/messages";

/** Tells a planner how a job ended that it asked for. */
export interface Verdict {
  readonly request: number;
  readonly ok: boolean;
  readonly why: string;
}

/** A requested job that has not ended. */
export interface OpenJob {
  readonly request: RequestedJob;
  readonly attempt: number;
  /** Number of times that the server has run it for this request. */
  readonly tries: number;
}

/**
 * - planning: a planner is running.
 * - lost: the planner was lost, and jobs that it asked for are running. Snakemake may only plan again when none is left,
 *   because it removes what an unfinished job has written, and when the file of answers holds all of their ends.
 * - reporting: everything has run, and the report is being made.
 */
export type Phase = "planning" | "lost" | "reporting" | "ended";

/** The state of a run, apart from what Snakemake knows itself. */
export interface SnakemakeState {
  readonly phase: Phase;
  /** The attempt of the planner, from 1 on. */
  readonly planner: number;
  /** Position in the file of requests, number of the planner's last message, and number of asks. */
  readonly heard: { readonly to: number; readonly number: number; readonly asks: number };
  /** Number of the last line in the file of answers, and number of asks. */
  readonly told: { readonly number: number; readonly asks: number; readonly isAsked: boolean };
  readonly verdicts: readonly Verdict[];
  /** Requested jobs that the run may not have outstanding yet. */
  readonly waiting: readonly RequestedJob[];
  /** Requested jobs that have not ended, by key. */
  readonly open: Readonly<Record<string, OpenJob>>;
  /** The number of attempts of each job, by its key, in groups so that few entries are copied for a change. */
  readonly attempts: Readonly<Record<string, Readonly<Record<string, number>>>>;
  /** Jobs whose last attempt failed: the sentence by key, in the order of the failures. */
  readonly failures: Readonly<Record<string, string>>;
  readonly plan: Omit<PlanMessage, "kind"> | null;
  readonly finished: number;
}

export const FIRST_STATE: SnakemakeState = {
  phase: "planning",
  planner: 1,
  heard: { to: 0, number: 0, asks: 0 },
  told: { number: 0, asks: 0, isAsked: false },
  verdicts: [],
  waiting: [],
  open: {},
  attempts: {},
  failures: {},
  plan: null,
  finished: 0,
};

export function attemptsOf({ attempts }: SnakemakeState, key: string): number {
  const group = attempts[groupOf(key)];
  return group && Object.hasOwn(group, key) ? group[key]! : 0;
}

export function withAttempt(state: SnakemakeState, key: string, attempt: number): SnakemakeState {
  const group = groupOf(key);
  const changed = { ...state.attempts[group], [key]: attempt };
  return { ...state, attempts: { ...state.attempts, [group]: changed } };
}

/** Returns the number of jobs that Snakemake has asked for. Attempts of one job count once. */
export function jobsAsked({ attempts }: SnakemakeState): number {
  return Object.values(attempts).reduce((sum, group) => sum + Object.keys(group).length, 0);
}

const GROUPS = 256;

/** Spreads keys over groups with FNV-1a, which is short and even enough. */
function groupOf(key: string): string {
  let hash = 0x811c9dc5;
  for (let index = 0; index < key.length; index += 1)
    hash = Math.imul(hash ^ key.charCodeAt(index), 0x01000193);
  return `g${(hash >>> 0) % GROUPS}`;
}

/** Returns a record without one of its entries. */
export function without<Value>(
  record: Readonly<Record<string, Value>>,
  key: string,
): Readonly<Record<string, Value>> {
  const { [key]: _, ...rest } = record;
  return rest;
}
