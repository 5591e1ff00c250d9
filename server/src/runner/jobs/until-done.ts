import type { Clock } from "#plumbing/clock";
import { Refusal } from "#plumbing/errors";
import { PassingFault } from "#plumbing/passing-fault";

/** Limit on consecutive attempts without progress. */
const ATTEMPTS = 8;
const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 60_000;
/** A longer pause that the other side asks for is cut. */
const LONGEST_ASKED_MS = 10 * 60_000;

interface Trying {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Called with a sentence when an attempt has failed and another one follows. */
  readonly onFault: (sentence: string) => void;
}

/**
 * Asks another server until it has answered. Tries again after faults that may pass, with growing pauses, and at once
 * after an attempt that returns undefined. An attempt calls `advanced` when it has achieved something.
 */
export async function untilDone<Result>(
  { clock, signal, onFault }: Trying,
  attempt: (advanced: () => void) => Promise<Result | undefined>,
): Promise<Result> {
  let fruitless = 0;
  for (;;) {
    let hasAdvanced = false;
    try {
      const done = await attempt(() => void (hasAdvanced = true));
      if (done !== undefined) return done;
    } catch (error) {
      if (!(error instanceof PassingFault)) throw error;
      fruitless = hasAdvanced ? 1 : fruitless + 1;
      if (fruitless >= ATTEMPTS)
        throw new Refusal("unavailable", `${error.message} It was tried ${ATTEMPTS} times.`);
      const pauseMs = pauseOf(error, fruitless);
      onFault(`${error.message} The next attempt follows in ${Math.ceil(pauseMs / 1000)} s.`);
      await pause(clock, pauseMs, signal);
    }
  }
}

function pauseOf({ retryAfterMs }: PassingFault, fruitless: number): number {
  const own = Math.min(FIRST_PAUSE_MS * 2 ** (fruitless - 1), LONGEST_PAUSE_MS);
  return Math.max(own, Math.min(retryAfterMs ?? 0, LONGEST_ASKED_MS));
}

function pause(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const giveUp = () => {
      cancel();
      reject(signal.reason as Error);
    };
    const cancel = clock.after(ms, () => {
      signal.removeEventListener("abort", giveUp);
      resolve();
    });
    if (signal.aborted) giveUp();
    else signal.addEventListener("abort", giveUp, { once: true });
  });
}
