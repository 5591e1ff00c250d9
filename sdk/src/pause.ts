/** Calls back after a delay. Returns a function that cancels the call. */
export type After = (ms: number, callback: () => void) => () => void;

/** The system's timer. */
export function systemAfter(ms: number, callback: () => void): () => void {
  const timer = setTimeout(callback, ms);
  return () => clearTimeout(timer);
}

/** Resolves after this time, or as soon as the signal is aborted. */
export function pause(ms: number, signal?: AbortSignal, after: After = systemAfter): Promise<void> {
  return new Promise((resolve) => {
    const finish = () => {
      cancel();
      signal?.removeEventListener("abort", finish);
      resolve();
    };
    const cancel = after(ms, finish);
    signal?.addEventListener("abort", finish);
    if (signal?.aborted) finish();
  });
}
