import type { CliContext } from "#cli/context";
import { listenForPresses } from "#cli/terminal/stop-signals";

/** The exit code that shells use for a program ended by Ctrl-C. */
export const EXIT_STOPPED = 130;

export interface Interruption {
  /** Aborted to stop the run. */
  readonly signal: AbortSignal;
  stopListening(): void;
}

export interface InterruptionOptions {
  /**
   * True if the first Ctrl-C only asks, since it may be a slip at a terminal. A signal sent otherwise is deliberate.
   */
  readonly isAsking: boolean;
  ask(): void;
}

/**
 * Asks first (at a terminal), then stops the run, then exits immediately. A requested stop is completed by the next
 * process on the folder.
 */
export function listenForInterruption(
  cli: Pick<CliContext, "clock" | "onSignal" | "exit">,
  { isAsking, ask }: InterruptionOptions,
): Interruption {
  const stopping = new AbortController();
  const stopListening = listenForPresses(cli, (signal, count) => {
    if (isAsking && count === 1 && signal === "SIGINT") ask();
    else if (!stopping.signal.aborted) stopping.abort();
    else cli.exit(EXIT_STOPPED);
  });
  return { signal: stopping.signal, stopListening };
}
