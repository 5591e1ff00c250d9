import type { Dice } from "./dice.ts";

/**
 * What may go wrong in a world, and what is counted when it does. Each world has its own weather: some of it off, the
 * rest rare or frequent, so that combinations come about that no even mixture would bring.
 */
export const FAULTS = [
  "crash at a query",
  "crash at a commit",
  "crash at a call of the cluster",
  "crash at a file",
  "crash soon after a start",
  "pause at a query",
  "pause at a commit",
  "pause at a call of the cluster",
  "pause at a file",
  "query fails",
  "query is slow",
  "commit fails",
  "commit is applied and fails",
  "change is applied and fails",
  "file fails",
  "file is slow",
  "submission fails",
  "submission is applied and fails",
  "submission fails and arrives late",
  "call of the cluster is slow",
  "cancellation fails",
  "cancellation is applied and fails",
  "cancellation is slow",
  "log cannot be read",
  "leftovers cannot be ended",
  "removal fails",
  "end is told late",
  "end is told twice",
  "end is told to a watcher that has left",
  "end of an unknown job is told",
  "job is lost",
  "job fails",
  "job leaves something behind",
] as const;

export type Fault = (typeof FAULTS)[number];

/** What hits the hosts, by the clock and not by what they do. */
export interface Storm {
  readonly crashEveryMs: number;
  readonly closeEveryMs: number;
  readonly pauseEveryMs: number;
  readonly pauseMaxMs: number;
  readonly jumpEveryMs: number;
  readonly jumpMaxMs: number;
  readonly rebootEveryMs: number;
  readonly databaseJumpEveryMs: number;
  readonly databaseJumpMaxMs: number;
  readonly downMaxMs: number;
}

/** Faults that end a server must be rarer than those that it survives: each time it reads all again. */
const RARE = 0.004;
/** Those that end a run must leave most jobs alone, or there is nothing left for the others to happen to. */
const MIDDLING = 0.05;
const FATAL_TO_A_RUN = /^(submission|job (fails|is lost))/;

export class Weather {
  readonly storm: Storm;
  readonly callMaxMs: number;
  readonly jobMaxMs: number;
  /** Nothing goes wrong in this world at all. */
  readonly isFair: boolean;
  readonly #rates = new Map<Fault, number>();
  readonly #dice: Dice;
  readonly #count: (what: string) => void;
  #isCalm = false;

  constructor(dice: Dice, count: (what: string) => void) {
    this.#dice = dice;
    this.#count = count;
    const severity = dice.pick([0, 0.3, 0.6, 0.9]);
    this.isFair = severity === 0;
    for (const fault of FAULTS) if (dice.chance(severity)) this.#rates.set(fault, rateOf(fault, dice));
    this.storm = stormOf(dice, severity);
    this.callMaxMs = dice.pick([0, 0, 5, 200, 3000]);
    this.jobMaxMs = dice.pick([0, 100, 5000, 60_000]);
  }

  /** Whether it goes wrong this time. */
  happens(fault: Fault): boolean {
    if (this.#isCalm) return false;
    const rate = this.#rates.get(fault);
    if (rate === undefined || !this.#dice.chance(rate)) return false;
    this.#count(fault);
    return true;
  }

  get isCalm(): boolean {
    return this.#isCalm;
  }

  /** From now on nothing goes wrong any more. */
  calm(): void {
    this.#isCalm = true;
  }
}

function rateOf(fault: Fault, dice: Dice): number {
  if (fault === "crash soon after a start") return dice.pick([0.1, 0.4]);
  if (fault === "job leaves something behind") return dice.pick([0.2, 1]);
  if (FATAL_TO_A_RUN.test(fault)) return MIDDLING * dice.pick([0.2, 1, 4]);
  const isRare = fault.startsWith("crash") || fault.startsWith("pause") || fault.startsWith("query");
  return isRare ? RARE * dice.pick([0.2, 1, 4]) : dice.pick([0.02, 0.1, 0.4]);
}

const NEVER_MS = Number.POSITIVE_INFINITY;

function stormOf(dice: Dice, severity: number): Storm {
  const every = (least: number, most: number) =>
    dice.chance(severity) ? dice.magnitude(least, most) : NEVER_MS;
  return {
    crashEveryMs: every(2000, 100_000),
    closeEveryMs: every(5000, 100_000),
    pauseEveryMs: every(5000, 100_000),
    pauseMaxMs: dice.magnitude(100, 120_000),
    jumpEveryMs: every(5000, 100_000),
    jumpMaxMs: dice.magnitude(1000, 7_200_000),
    rebootEveryMs: every(20_000, 300_000),
    databaseJumpEveryMs: every(20_000, 200_000),
    databaseJumpMaxMs: dice.magnitude(1000, 120_000),
    downMaxMs: dice.magnitude(10, 300_000),
  };
}
