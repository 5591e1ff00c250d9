/** Runs work as soon as fewer than the limit run at the same time. Waiting work starts in the order of the calls. */
export type FewAtOnce = <Result>(work: () => Promise<Result>) => Promise<Result>;

export function fewAtOnce(limit: number): FewAtOnce {
  let free = limit;
  const waiting: (() => void)[] = [];
  return async (work) => {
    if (free === 0) await new Promise<void>((resolve) => void waiting.push(resolve));
    else free -= 1;
    try {
      return await work();
    } finally {
      // Hand the slot to the longest waiting work.
      const next = waiting.shift();
      if (next) next();
      else free += 1;
    }
  };
}
