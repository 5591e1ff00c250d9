import type { CliHost } from "#cli/host";

/**
 * One press of Ctrl-C can arrive several times: the terminal sends it to the whole process group, and npm and
 * tools/run.js send it on. What arrives within this time counts as one press.
 */
const SAME_PRESS_MS = 1000;

export interface StopSignals {
  /** Resolves when somebody asks for the first time. */
  readonly asked: Promise<NodeJS.Signals>;
  leave(): void;
}

/** From the second press on, `again` is called: whoever presses twice does not want to wait. */
export function listenForStop(host: CliHost, again: (signal: NodeJS.Signals) => void): StopSignals {
  const leave: (() => void)[] = [];
  let firstAtMs: number | undefined;
  const asked = new Promise<NodeJS.Signals>((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
      leave.push(
        host.onSignal(signal, () => {
          const nowMs = host.clock.now();
          if (firstAtMs === undefined) {
            firstAtMs = nowMs;
            resolve(signal);
          } else if (nowMs - firstAtMs > SAME_PRESS_MS) {
            again(signal);
          }
        }),
      );
    }
  });
  return { asked, leave: () => leave.forEach((one) => one()) };
}
