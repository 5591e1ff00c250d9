/** The time of day comes from here alone, so that tests can move it. Milliseconds since 1970, UTC. */
export interface Clock {
  now(): number;
}

export const systemClock: Clock = { now: () => Date.now() };

const FIRST_MS = Date.parse("0000-01-01T00:00:00Z");
const LAST_MS = Date.parse("9999-12-31T23:59:59Z");

/**
 * `2026-11-21T10:57:41`: UTC, without zone and fraction, as REANA's clients parse it. A time that has no such form (a
 * job may give a file any) becomes the nearest that has.
 */
export function toWireTime(epochMs: number): string {
  return new Date(Math.min(Math.max(epochMs, FIRST_MS), LAST_MS)).toISOString().slice(0, 19);
}
