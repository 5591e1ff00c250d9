/** Time comes from here alone, so that tests can move it. */
export interface Clock {
  /** The time of day: milliseconds since 1970, UTC. Somebody may set it forward or back. */
  now(): number;
  /** Milliseconds since some moment; only ever forward, whatever is done to the time of day. */
  elapsedMs(): number;
  /** Calls back once, that much later. Answers how to call it off. */
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
 * `2026-11-21T10:57:41`: UTC, without zone and fraction, as REANA's clients parse it. A time that has no such form (a
 * job may give a file any) becomes the nearest that has.
 */
export function toWireTime(epochMs: number): string {
  const at = new Date(Math.min(Math.max(epochMs, FIRST_MS), LAST_MS));
  // A third of what `toISOString` costs: a list has dozens of times.
  const [year, month] = [String(at.getUTCFullYear()).padStart(4, "0"), DIGITS[at.getUTCMonth() + 1]];
  const date = `${year}-${month}-${DIGITS[at.getUTCDate()]}`;
  return `${date}T${DIGITS[at.getUTCHours()]}:${DIGITS[at.getUTCMinutes()]}:${DIGITS[at.getUTCSeconds()]}`;
}

/** From `00` to `59`. */
const DIGITS = Array.from({ length: 60 }, (_, number) => String(number).padStart(2, "0"));
