import type { Dice } from "./dice.ts";

/**
 * Every fault that may strike a world; each fault is counted. Each world has its own weather, with some
 * faults off and the remaining faults rare or frequent: an even mixture would never reach the rare
 * combinations.
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
  "wake-up is lost",
  "wake-up is late",
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
  "job is queued",
  "pull hangs",
  "progress of a job is not told",
  "job is long",
  "job is lost",
  "job fails",
  "job leaves something behind",
] as const;

export type Fault = (typeof FAULTS)[number];

/** The strikes on hosts that follow the clock and not the deeds of the hosts. */
export interface Storm {
  readonly crashEveryMs: number;
  readonly closeEveryMs: number;
  readonly pauseEveryMs: number;
  readonly pauseMaxMs: number;
  /**
   * Share of pauses that end shortly after a lease was taken over. The paused server still believes in its
   * lease.
   */
  readonly sleepsThroughLease: number;
  readonly jumpEveryMs: number;
  readonly jumpMaxMs: number;
  readonly rebootEveryMs: number;
  /** The frequency with which the cluster cannot be reached, for up to an hour. */
  readonly absenceEveryMs: number;
  /** Mean time between silences of a host. A silent host is declared lost, and then comes back. */
  readonly lossEveryMs: number;
  readonly databaseJumpEveryMs: number;
  readonly databaseJumpMaxMs: number;
  readonly downMaxMs: number;
}

/**
 * Rate of faults that end a server. Must be lower than the rate of survivable faults, because a new server
 * reads everything again.
 */
const RARE = 0.004;
/** Rate of faults that end a run. Most jobs must be left alone, or too few jobs remain for further faults. */
const MIDDLING = 0.05;
const FATAL_TO_A_RUN = /^(submission|job (fails|is lost))/;

/**
 * mixed: any fault may be on or off. sleepy: servers are paused often and long, and everything is slow, so
 * leases are taken over while their former holders are still at work. A mixture rarely reaches this state.
 */
export type Climate = "mixed" | "sleepy";

const SLEEPY: readonly (readonly [Fault, number])[] = [
  ["pause at a query", 0.003],
  ["pause at a commit", 0.01],
  ["pause at a call of the cluster", 0.03],
  ["pause at a file", 0.03],
  ["query is slow", 0.02],
  ["file is slow", 0.3],
  ["call of the cluster is slow", 0.3],
  ["submission fails", 0.03],
  ["submission is applied and fails", 0.03],
  ["end is told late", 0.2],
];

export class Weather {
  readonly storm: Storm;
  readonly callMaxMs: number;
  readonly jobMaxMs: number;
  /** True if no fault occurs in this world. */
  readonly isFair: boolean;
  readonly #rates = new Map<Fault, number>();
  /** Faults that also strike in calm weather: programs still fail. */
  readonly #lasting = new Set<Fault>();
  readonly #dice: Dice;
  readonly #count: (what: string) => void;
  #isCalm = false;

  constructor(climate: Climate, dice: Dice, count: (what: string) => void) {
    this.#dice = dice;
    this.#count = count;
    const severity = dice.pick([0, 0.3, 0.6, 0.9]);
    this.isFair = severity === 0 && climate === "mixed";
    for (const fault of FAULTS) if (dice.chance(severity)) this.#rates.set(fault, rateOf(fault, dice));
    const storm = stormOf(dice, severity);
    this.storm = climate === "sleepy" ? sleepyStorm(storm, dice) : storm;
    if (climate === "sleepy") this.#fallAsleep();
    this.callMaxMs = dice.pick([0, 0, 5, 200, 3000]);
    this.jobMaxMs = dice.pick([0, 100, 5000, 60_000]);
  }

  /** Turns off crashes: a dead server does not wake up late. */
  #fallAsleep(): void {
    for (const fault of FAULTS) if (fault.startsWith("crash")) this.#rates.delete(fault);
    for (const [fault, rate] of SLEEPY) this.#rates.set(fault, rate);
  }

  /** Makes jobs fail often, for a world with retries: otherwise a retry would hardly ever happen. */
  failJobsOften(): void {
    this.#rates.set("job fails", 0.3);
    this.#rates.set("job is lost", 0.1);
    this.#lasting.add("job fails");
  }

  /** Returns whether the fault strikes now. */
  happens(fault: Fault): boolean {
    if (this.#isCalm && !this.#lasting.has(fault)) return false;
    const rate = this.#rates.get(fault);
    if (rate === undefined || !this.#dice.chance(rate)) return false;
    this.#count(fault);
    return true;
  }

  get isCalm(): boolean {
    return this.#isCalm;
  }

  /** Stops all faults except the lasting faults. */
  calm(): void {
    this.#isCalm = true;
  }
}

function rateOf(fault: Fault, dice: Dice): number {
  if (fault === "pull hangs") return MIDDLING * dice.pick([0.2, 1]);
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
    sleepsThroughLease: dice.pick([0, 0.2, 0.8]),
    jumpEveryMs: every(5000, 100_000),
    jumpMaxMs: dice.magnitude(1000, 7_200_000),
    rebootEveryMs: every(20_000, 300_000),
    databaseJumpEveryMs: every(20_000, 200_000),
    databaseJumpMaxMs: dice.magnitude(1000, 120_000),
    downMaxMs: dice.magnitude(10, 300_000),
    absenceEveryMs: every(20_000, 200_000),
    lossEveryMs: every(15_000, 150_000),
  };
}

function sleepyStorm(storm: Storm, dice: Dice): Storm {
  const never = {
    crashEveryMs: NEVER_MS,
    closeEveryMs: NEVER_MS,
    rebootEveryMs: NEVER_MS,
    lossEveryMs: NEVER_MS,
  };
  return { ...storm, ...never, pauseEveryMs: dice.magnitude(10_000, 60_000), sleepsThroughLease: 0.9 };
}
