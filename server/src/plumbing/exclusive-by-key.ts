/** Runs work of one key at a time, in the order of the calls. A signal ends the wait for earlier work. */
export type ExclusiveByKey = <Result>(
  key: string,
  signal: AbortSignal,
  work: () => Promise<Result>,
) => Promise<Result>;

export function exclusiveByKey(): ExclusiveByKey {
  const lasts = new Map<string, Promise<void>>();
  return async (key, signal, work) => {
    const before = lasts.get(key);
    const { promise: done, resolve } = Promise.withResolvers<void>();
    const last = Promise.all([before, done]).then(() => undefined);
    lasts.set(key, last);
    try {
      if (before) await unlessAborted(before, signal);
      return await work();
    } finally {
      resolve();
      if (lasts.get(key) === last) lasts.delete(key);
    }
  };
}

function unlessAborted(work: Promise<void>, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const giveUp = () => reject(signal.reason as Error);
    if (signal.aborted) return giveUp();
    signal.addEventListener("abort", giveUp, { once: true });
    const forget = () => signal.removeEventListener("abort", giveUp);
    work.then(resolve, reject).finally(forget);
  });
}
