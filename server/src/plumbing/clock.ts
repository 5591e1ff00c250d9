/** The time of day comes from here alone, so that tests can move it. Milliseconds since 1970, UTC. */
export interface Clock {
  now(): number;
}

export const systemClock: Clock = { now: () => Date.now() };

/** `2026-11-21T10:57:41`: UTC, without zone and fraction, as REANA's clients parse it. */
export function toWireTime(epochMs: number): string {
  return new Date(epochMs).toISOString().slice(0, 19);
}
