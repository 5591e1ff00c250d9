import type { components } from "./schema.ts";

/** The numbers of a run from which the time left is estimated. */
export interface Progress {
  readonly total: number;
  readonly finished: number;
  readonly failed: number;
  readonly pace: components["schemas"]["Pace"];
  /** Time since the server measured the pace. Default: 0. */
  readonly ageMs?: number;
}

export interface Estimate {
  /** Jobs ended per minute, formatted for people: `0.4`, `7.2`, `1,240`. */
  readonly jobsPerMinute: string;
  /** Number of jobs planned so far that have not ended. The plan of some languages grows while a run is running. */
  readonly remaining: number;
  /** Estimated time for the remaining jobs at the present pace. */
  readonly leftMs: number;
}

/** Estimates the remaining time of a run from its pace. */
export function estimate({ total, finished, failed, pace, ageMs = 0 }: Progress): Estimate {
  const overMs = pace.over_ms + ageMs;
  const perMinute = (pace.jobs * 60_000) / overMs;
  const remaining = Math.max(0, total - finished - failed);
  const digits = perMinute < 10 ? 1 : 0;
  return {
    jobsPerMinute: perMinute.toLocaleString("en", { maximumFractionDigits: digits }),
    remaining,
    leftMs: (remaining * overMs) / pace.jobs,
  };
}
