import type { Clock } from "#plumbing/clock";

/** A clock that goes so many times as fast: what waits some seconds before it tries again waits milliseconds. */
export function hastyClock(speed: number): Clock {
  const elapsedMs = () => performance.now() * speed;
  return {
    elapsedMs,
    now: () => Math.round(Date.UTC(2026, 0, 1) + elapsedMs()),
    after(ms, callback) {
      const timer = setTimeout(callback, ms / speed);
      return () => clearTimeout(timer);
    },
  };
}
