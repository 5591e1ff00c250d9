/**
 * Number of timer ticks for watching a call. Ticks pass only while the server runs, so an engine is not
 * blamed for the time for which the server was stopped or blocked.
 */
const TICKS = 20;
/** A call may last so many times as long as it may compute: on a busy machine, a process waits for a processor. */
const PATIENCE = 10;

export interface CallWatchOptions {
  /** Maximum processor time per call. */
  readonly maxCallMs: number;
  /** Returns the processor time of the process so far. Undefined if the system does not report the time. */
  readonly processorMs: () => number | undefined;
  readonly onTooLong: () => void;
}

/** Watches a call, and reports an excessive duration once. Returns the function that ends the watch. */
export function watchCall({ maxCallMs, processorMs, onTooLong }: CallWatchOptions): () => void {
  const before = processorMs();
  let ticks = 0;
  const timer = setInterval(() => {
    ticks += 1;
    if (ticks < TICKS) return;
    const now = processorMs();
    const isWaiting = before !== undefined && now !== undefined && now - before < maxCallMs;
    if (isWaiting && ticks < TICKS * PATIENCE) return;
    clearInterval(timer);
    onTooLong();
  }, maxCallMs / TICKS);
  return () => clearInterval(timer);
}
