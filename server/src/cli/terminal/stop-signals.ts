import os from "node:os";
import type { CliContext } from "#cli/context";

/**
 * Signals within this time count as one press of Ctrl-C. One press can arrive several times: the terminal
 * signals the whole process group, and npm and tools/run.js forward the signal.
 */
const SAME_PRESS_MS = 1000;

/** Calls `onPress` for each press, counted from 1. Returns a function that removes the listeners. */
export function listenForPresses(
  cli: Pick<CliContext, "clock" | "onSignal">,
  onPress: (signal: NodeJS.Signals, count: number) => void,
  signals: readonly NodeJS.Signals[] = ["SIGINT", "SIGTERM", "SIGHUP"],
): () => void {
  let count = 0;
  let pressedAtMs = Number.NEGATIVE_INFINITY;
  const stopListening = signals.map((signal) =>
    cli.onSignal(signal, () => {
      const nowMs = cli.clock.elapsedMs();
      if (nowMs - pressedAtMs <= SAME_PRESS_MS) return;
      pressedAtMs = nowMs;
      count += 1;
      onPress(signal, count);
    }),
  );
  return () => stopListening.forEach((one) => one());
}

/**
 * Resolves at the first press, and calls `again` from the second on: pressing twice means not wanting to wait. SIGHUP
 * means that the terminal was closed, so it stops only what runs at one. The listeners stay until the process ends,
 * because npm may forward a signal late, and a process without listeners would be killed by it.
 */
export function listenForStop(
  cli: CliContext,
  again: (signal: NodeJS.Signals) => void,
): Promise<NodeJS.Signals> {
  const { promise: asked, resolve } = Promise.withResolvers<NodeJS.Signals>();
  listenForPresses(
    cli,
    (signal, count) => (count === 1 ? resolve(signal) : again(signal)),
    cli.isTerminal ? undefined : ["SIGINT", "SIGTERM"],
  );
  return asked;
}

/**
 * Does work that undoes its beginnings and ends when its signal aborts. A press of Ctrl-C aborts the signal. The process ends
 * after the work, with the code of a killed process.
 */
export async function undoneByStop<Result>(
  cli: Pick<CliContext, "clock" | "onSignal" | "exit">,
  work: (stopped: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const stopping = new AbortController();
  const heard: NodeJS.Signals[] = [];
  const stopListening = listenForPresses(cli, (signal) => {
    heard.push(signal);
    stopping.abort();
  });
  try {
    return await work(stopping.signal);
  } finally {
    stopListening();
    if (heard[0] !== undefined) cli.exit(128 + os.constants.signals[heard[0]]);
  }
}
