export const DAY_MS = 86_400_000;

/** The only source of time; tests replace it. */
export interface Clock {
  /**
   * Returns the time of day in milliseconds since 1970, UTC. The clock may be set forward or back while the server
   * runs.
   */
  now(): number;
  /** Monotonic time in milliseconds since an arbitrary moment. Changes of the time of day do not affect it. */
  elapsedMs(): number;
  /** Calls back once, after `ms` milliseconds. Returns a function that cancels the call. */
  after(ms: number, callback: () => void): () => void;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  elapsedMs: () => performance.now(),
  after(ms, callback) {
    const timer = setTimeout(callback, ms);
    return () => clearTimeout(timer);
  },
};

const FIRST_MS = Date.parse("0000-01-01T00:00:00Z");
const LAST_MS = Date.parse("9999-12-31T23:59:59Z");

/**
 * Formats a time as `2026-11-21T10:57:41`: UTC, without zone and fraction, as REANA's clients parse it. A job
 * may give a file any time, so a time outside the range of this form becomes the nearest one inside.
 */
export function toWireTime(epochMs: number): string {
  const at = new Date(Math.min(Math.max(epochMs, FIRST_MS), LAST_MS));
  // A third of the cost of `toISOString`: a list holds dozens of times.
  const [year, month] = [String(at.getUTCFullYear()).padStart(4, "0"), DIGITS[at.getUTCMonth() + 1]];
  const date = `${year}-${month}-${DIGITS[at.getUTCDate()]}`;
  return `${date}T${DIGITS[at.getUTCHours()]}:${DIGITS[at.getUTCMinutes()]}:${DIGITS[at.getUTCSeconds()]}`;
}

/** The texts from `00` to `59`. */
const DIGITS = Array.from({ length: 60 }, (_, number) => String(number).padStart(2, "0"));
