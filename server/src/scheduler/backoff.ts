import type { Clock } from "#plumbing/clock";

/** Postpones runs whose driving failed (a full disk, a lost connection). */
export interface Backoff {
  count(): number;
  has(runId: string): boolean;
  /** Returns the delay before the next attempt. It doubles with each failure, up to a maximum. */
  delayMs(failures: number): number;
  schedule(runId: string, delayMs: number, resume: () => void): void;
  cancel(runId: string): void;
  clear(): void;
  /** Cancels the timers, but still counts the runs. */
  cancelTimers(): void;
  /** Returns a function that counts the next failure. After a while without failures, counting starts again. */
  failureCounter(failures: number, sinceMs: number): () => number;
}

const FIRST_MS = 500;
const MAX_MS = 30_000;

export function createBackoff(clock: Clock): Backoff {
  /** Functions that cancel the timers, by the run's id. */
  const timers = new Map<string, () => void>();
  const cancelTimers = () => {
    for (const cancelTimer of timers.values()) cancelTimer();
  };
  return {
    count: () => timers.size,
    has: (runId) => timers.has(runId),
    delayMs: (failures) => Math.min(FIRST_MS * 2 ** (failures - 1), MAX_MS),
    schedule: (runId, delayMs, resume) => void timers.set(runId, clock.after(delayMs, resume)),
    cancel(runId) {
      timers.get(runId)?.();
      timers.delete(runId);
    },
    clear() {
      cancelTimers();
      timers.clear();
    },
    cancelTimers,
    failureCounter: (failures, sinceMs) => () => (clock.elapsedMs() - sinceMs > MAX_MS ? 1 : failures + 1),
  };
}
