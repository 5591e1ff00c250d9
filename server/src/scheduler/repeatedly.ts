import type { Clock } from "#plumbing/clock";

interface RepeatedWork {
  readonly clock: Clock;
  readonly everyMs: number;
  readonly work: () => Promise<unknown>;
  readonly onFailure: (error: unknown) => void;
}

/** Does something now, and again so long after it was done. Answers how to end it: when that answers, nothing is under way. */
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
