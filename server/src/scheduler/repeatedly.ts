import type { Clock } from "#plumbing/clock";

interface RepeatedWork {
  readonly clock: Clock;
  readonly everyMs: number;
  readonly work: () => Promise<unknown>;
  readonly onFailure: (error: unknown) => void;
}

/**
 * Runs `work` now, and again `everyMs` after each end. Returns a function that stops it, and resolves when no work is
 * running.
 */
export function repeatedly({ clock, everyMs, work, onFailure }: RepeatedWork): () => Promise<void> {
  let isOver = false;
  let callOff: (() => void) | undefined;
  let underWay: Promise<void>;
  begin();

  function begin(): void {
    underWay = once();
  }

  async function once(): Promise<void> {
    try {
      await work();
    } catch (error) {
      onFailure(error);
    }
    if (!isOver) callOff = clock.after(everyMs, begin);
  }

  return async () => {
    isOver = true;
    callOff?.();
    await underWay;
  };
}
