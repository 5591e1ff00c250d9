import type { Screen } from "#cli/host";
import type { Clock } from "#plumbing/clock";
import { printable } from "#plumbing/printable";

const REDRAW_MS = 200;
const TO_LINE_START = "\r\u001b[K";
/** Dim, and as it was. */
const QUIET = ["\u001b[2m", "\u001b[22m"] as const;

/** A line at the bottom that is drawn again and again, and lines that come to stand above it for good. */
export interface LiveScreen {
  above(lines: readonly string[]): void;
  /** From the first time on it goes on by itself. */
  draw(): void;
  end(): void;
}

/** What does not fit is cut: a line that wraps could not be drawn again in its place. */
export function liveScreen(
  screen: Screen,
  clock: Clock,
  line: (elapsedMs: number, columns: number) => string,
): LiveScreen {
  const beganAtMs = clock.elapsedMs();
  let callOff: (() => void) | undefined;
  const draw = () => {
    callOff?.();
    const columns = screen.columns();
    const text = printable(line(clock.elapsedMs() - beganAtMs, columns), Math.max(columns - 2, 10));
    screen.write(`${TO_LINE_START}${QUIET[0]}${text}${QUIET[1]}`);
    callOff = clock.after(REDRAW_MS, draw);
  };
  return {
    draw,
    above(lines) {
      if (callOff) screen.write(TO_LINE_START);
      for (const one of lines) screen.write(`${one}\n`);
      if (callOff) draw();
    },
    end() {
      if (!callOff) return;
      callOff();
      callOff = undefined;
      screen.write(TO_LINE_START);
    },
  };
}
