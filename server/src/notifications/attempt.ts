import type { Clock } from "#plumbing/clock";

interface Attempt {
  readonly clock: Clock;
  readonly limitMs: number;
  /** Aborted when the server stops. */
  readonly stopping: AbortSignal;
  /** Returns the problem in a sentence, or undefined if the receiver has accepted the message. */
  readonly send: (signal: AbortSignal) => Promise<string | undefined>;
  /** Returns what went wrong, for any error but the end of the time. */
  readonly explain: (error: unknown) => string;
}

/** Makes one attempt to send a message, for at most `limitMs`. Returns the problem, or undefined if it was accepted. */
export async function attempt({
  clock,
  limitMs,
  stopping,
  send,
  explain,
}: Attempt): Promise<string | undefined> {
  const limit = new AbortController();
  const cancelTimer = clock.after(limitMs, () => limit.abort());
  const signal = AbortSignal.any([limit.signal, stopping]);
  // Not everything can be cancelled, such as the look-up of a name: nothing is waited for after the limit.
  const ended = new Promise<never>((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason as Error), { once: true });
  });
  try {
    signal.throwIfAborted();
    return await Promise.race([send(signal), ended]);
  } catch (error) {
    return limit.signal.aborted
      ? `The receiver did not answer within ${limitMs / 1000} seconds.`
      : explain(error);
  } finally {
    cancelTimer();
  }
}
