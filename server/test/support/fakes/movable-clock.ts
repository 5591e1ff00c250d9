import { type Clock, systemClock } from "#plumbing/clock";

export interface MovableClock extends Clock {
  /** Advances the clock by `ms`. Timers due until the new time fire now. */
  pass(ms: number): void;
}

export function movableClock(): MovableClock {
  let passedMs = 0;
  const waiting = new Set<{ readonly dueMs: number; readonly ring: () => void }>();
  const elapsedMs = () => systemClock.elapsedMs() + passedMs;
  return {
    now: () => systemClock.now() + passedMs,
    elapsedMs,
    after(ms, callback) {
      const alarm = { dueMs: elapsedMs() + ms, ring };
      const callOff = systemClock.after(ms, ring);
      waiting.add(alarm);
      function ring() {
        callOff();
        if (waiting.delete(alarm)) callback();
      }
      return () => {
        callOff();
        waiting.delete(alarm);
      };
    },
    pass(ms) {
      passedMs += ms;
      const due = [...waiting].filter(({ dueMs }) => dueMs <= elapsedMs());
      for (const { ring } of due.toSorted((one, other) => one.dueMs - other.dueMs)) ring();
    },
  };
}
