/** Work that many ask for and that is done by one at a time: each who asked is served by a round that began afterwards. */
export interface OnceAtATime {
  ask(): void;
  /** Answers when nothing of it is under way. */
  settled(): Promise<void>;
}

/** `work` deals with its own errors. */
export function onceAtATime(work: () => Promise<void>): OnceAtATime {
  let isAsked = false;
  let underWay: Promise<void> | undefined;

  async function rounds(): Promise<void> {
    while (isAsked) {
      isAsked = false;
      await work();
    }
    // In one breath with the last look at it: whoever asks from here on begins anew.
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
