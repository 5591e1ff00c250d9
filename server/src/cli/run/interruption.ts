import type { CliHost } from "#cli/host";
import { listenForPresses } from "#cli/stop-signals";

/** As shells tell it of a program that Ctrl-C ended. */
export const EXIT_STOPPED = 130;

export interface Interruption {
  /** Aborted when the run is to be stopped. */
  readonly signal: AbortSignal;
  leave(): void;
}

export interface InterruptionOptions {
  /** At a terminal Ctrl-C may be a slip: the first press asks. Whoever sends a signal otherwise means it. */
  readonly asks: boolean;
  ask(): void;
}

/** First asks, then stops, then leaves at once: a stop that was asked for is carried out by whoever comes next. */
export function listenForInterruption(
  host: Pick<CliHost, "clock" | "onSignal" | "exit">,
  { asks, ask }: InterruptionOptions,
): Interruption {
  const stopping = new AbortController();
  const leave = listenForPresses(host, (signal, count) => {
    if (asks && count === 1 && signal === "SIGINT") ask();
    else if (!stopping.signal.aborted) stopping.abort();
    else host.exit(EXIT_STOPPED);
  });
  return { signal: stopping.signal, leave };
}
