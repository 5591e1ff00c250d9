import type { CliHost } from "#cli/host";

/**
 * One press of Ctrl-C can arrive several times: the terminal sends it to the whole process group, and npm and
 * tools/run.js send it on. What arrives within this time counts as one press.
 */
const SAME_PRESS_MS = 1000;

/** Tells each press, numbered from 1 on. Answers how to leave off. */
export function listenForPresses(
  host: Pick<CliHost, "clock" | "onSignal">,
  onPress: (signal: NodeJS.Signals, count: number) => void,
): () => void {
  let count = 0;
  let pressedAtMs = Number.NEGATIVE_INFINITY;
  const leave = (["SIGINT", "SIGTERM", "SIGHUP"] as const).map((signal) =>
    host.onSignal(signal, () => {
      const nowMs = host.clock.elapsedMs();
      if (nowMs - pressedAtMs <= SAME_PRESS_MS) return;
      pressedAtMs = nowMs;
      count += 1;
      onPress(signal, count);
    }),
  );
  return () => leave.forEach((one) => one());
}

export interface StopSignals {
  /** Resolves when somebody asks for the first time. */
  readonly asked: Promise<NodeJS.Signals>;
  leave(): void;
}

/** From the second press on, `again` is called: whoever presses twice does not want to wait. */
export function listenForStop(host: CliHost, again: (signal: NodeJS.Signals) => void): StopSignals {
  const { promise: asked, resolve } = Promise.withResolvers<NodeJS.Signals>();
  const leave = listenForPresses(host, (signal, count) => (count === 1 ? resolve(signal) : again(signal)));
  return { asked, leave };
}
