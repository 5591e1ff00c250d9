import type { CliContext } from "#cli/context";
import { progressLine, type Transfer, type TransferTotal } from "#cli/terminal/progress-line";

/** Minimum time between two updates of the line. */
const DRAW_EVERY_MS = 100;
const CLEAR = "\r\u001b[K";

/** The exit code that shells use for a program ended by Ctrl-C. */
const EXIT_INTERRUPTED = 130;

/** Shows the progress of a transfer, on a terminal only. */
export function showProgress(
  cli: Pick<CliContext, "screen" | "clock" | "onSignal" | "exit">,
  total: Omit<TransferTotal, "noun">,
): Transfer {
  const { screen, clock } = cli;
  const stopListening = screen && cli.onSignal("SIGINT", interrupted);
  const beganMs = clock.elapsedMs();
  const count = { files: 0, bytes: 0, checked: 0 };
  let drawnMs = Number.NEGATIVE_INFINITY;
  const add = (what: keyof typeof count, more: number) => {
    count[what] += more;
    const nowMs = clock.elapsedMs();
    if (!screen || nowMs - drawnMs < DRAW_EVERY_MS) return;
    drawnMs = nowMs;
    const line = progressLine({ ...total, noun: "files" }, count, nowMs - beganMs);
    screen.write(CLEAR + line.slice(0, screen.columns() - 1));
  };
  return {
    bytes: (more) => add("bytes", more),
    checked: (more) => add("checked", more),
    file: () => add("files", 1),
    end() {
      stopListening?.();
      screen?.write(CLEAR);
    },
  };
  function interrupted(): void {
    screen?.write(`${CLEAR}Interrupted. Run the same command again to resume.\n`);
    cli.exit(EXIT_INTERRUPTED);
  }
}
