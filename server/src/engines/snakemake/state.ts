import type { PlanMessage, RequestedJob } from "#engines/snakemake/messages";

/** Reports the end of a requested job to the planner. */
export interface Verdict {
  readonly request: number;
  readonly ok: boolean;
  readonly why: string;
}

/** A requested job that is still outstanding. */
export interface OpenJob {
  readonly request: RequestedJob;
  readonly attempt: number;
  /** Number of attempts of the server for the request. */
  readonly tries: number;
}

/**
 * - planning: a planner is running.
 * - lost: the planner was lost, and some of its requested jobs are still running. Snakemake may plan again only after
 * all jobs have ended, because it removes the output of unfinished jobs, and after all results are in the file of
 * answers.
 * - reporting: all jobs have run, and the report is being made.
 */
export type Phase = "planning" | "lost" | "reporting" | "ended";

/** The state of a run, except for Snakemake's own records. */
export interface SnakemakeState {
  readonly phase: Phase;
  /** The attempt of the planner, from 1 on. */
  readonly planner: number;
  /** Position in the file of requests, number of the planner's last message, and number of asks. */
  readonly heard: { readonly to: number; readonly number: number; readonly asks: number };
  /** Number of the last line in the file of answers, and number of asks. */
  readonly told: { readonly number: number; readonly asks: number; readonly isAsked: boolean };
  readonly verdicts: readonly Verdict[];
  /** Requested jobs that must wait because too many jobs are outstanding. */
  readonly waiting: readonly RequestedJob[];
  /** Unfinished requested jobs, by key. */
  readonly open: Readonly<Record<string, OpenJob>>;
  /** Number of attempts of each job, by key, in groups so that a change copies few entries. */
  readonly attempts: Readonly<Record<string, Readonly<Record<string, number>>>>;
  /** Jobs with a failed last attempt: the sentence by key, in the order of the failures. */
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

/** Returns the number of jobs requested by Snakemake. Attempts of a job count once. */
export function jobsAsked({ attempts }: SnakemakeState): number {
  return Object.values(attempts).reduce((sum, group) => sum + Object.keys(group).length, 0);
}

const GROUPS = 256;

/** Spreads keys over groups with FNV-1a, which is short and sufficiently even. */
function groupOf(key: string): string {
  let hash = 0x811c9dc5;
  for (let index = 0; index < key.length; index += 1)
    hash = Math.imul(hash ^ key.charCodeAt(index), 0x01000193);
  return `g${(hash >>> 0) % GROUPS}`;
}

/** Returns a record without the entry `key`. */
export function without<Value>(
  record: Readonly<Record<string, Value>>,
  key: string,
): Readonly<Record<string, Value>> {
  const { [key]: _, ...rest } = record;
  return rest;
}
