import type { Clock } from "#plumbing/clock";

/** Creates a clock that runs `speed` times as fast: a wait of some seconds before a retry takes milliseconds. */
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
