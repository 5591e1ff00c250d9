/**
 * A call is watched by so many ticks of a timer. They pass only while the server runs too, so an engine is not blamed
 * for the time for which the server was stopped or blocked.
 */
const TICKS = 20;
/** A call may last so many times as long as it may compute: on a busy machine, a process waits for a processor. */
const PATIENCE = 10;

export interface CallWatchOptions {
  /** Processor time that one call may use. */
  readonly maxCallMs: number;
  /** Returns the processor time that the process has used so far. Undefined if the system does not tell. */
  readonly processorMs: () => number | undefined;
  readonly onTooLong: () => void;
}

/** Watches a call, and reports once that it takes too long. Returns the function that ends the watch. */
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
