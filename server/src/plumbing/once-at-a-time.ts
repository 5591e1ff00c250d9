/**
 * Coalesces calls of many callers: only one round of work runs at a time, and every request is served by a
 * round that started after it.
 */
export interface OnceAtATime {
  ask(): void;
  /** Resolves when no round is running. */
  settled(): Promise<void>;
}

/** Creates the runner. `work` must handle its own errors. */
export function onceAtATime(work: () => Promise<void>): OnceAtATime {
  let isAsked = false;
  let underWay: Promise<void> | undefined;

  async function rounds(): Promise<void> {
    while (isAsked) {
      isAsked = false;
      await work();
    }
    // In the same tick as the last check of `isAsked`: a later request starts a new round.
    underWay = undefined;
  }

  return {
    ask() {
      isAsked = true;
      underWay ??= rounds();
    },
    settled: async () => underWay,
  };
}
