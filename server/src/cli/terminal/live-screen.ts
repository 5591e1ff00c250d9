import type { Screen } from "#cli/context";
import type { Clock } from "#plumbing/clock";
import { printable } from "#plumbing/text/printable";

const REDRAW_MS = 200;
const TO_LINE_START = "\r\u001b[K";
/** Escape codes for dim and for normal text. */
const QUIET = ["\u001b[2m", "\u001b[22m"] as const;

/** A redrawn line at the bottom, and permanent lines above. */
export interface LiveScreen {
  above(lines: readonly string[]): void;
  /** The first call starts redrawing at regular intervals. */
  draw(): void;
  end(): void;
}

/** Lines that do not fit are truncated, because a wrapped line could not be redrawn in place. */
export function liveScreen(
  screen: Screen,
  clock: Clock,
  line: (elapsedMs: number, columns: number) => string,
): LiveScreen {
  const beganAtMs = clock.elapsedMs();
  let cancelTimer: (() => void) | undefined;
  const draw = () => {
    cancelTimer?.();
    const columns = screen.columns();
    const text = printable(line(clock.elapsedMs() - beganAtMs, columns), Math.max(columns - 2, 10));
    screen.write(`${TO_LINE_START}${QUIET[0]}${text}${QUIET[1]}`);
    cancelTimer = clock.after(REDRAW_MS, draw);
  };
  return {
    draw,
    above(lines) {
      if (cancelTimer) screen.write(TO_LINE_START);
      for (const one of lines) screen.write(`${one}\n`);
      if (cancelTimer) draw();
    },
    end() {
      if (!cancelTimer) return;
      cancelTimer();
      cancelTimer = undefined;
      screen.write(TO_LINE_START);
    },
  };
}
