import type { CliHost } from "#cli/host";
import { humanSize } from "#plumbing/human-size";

/** A line that says how far a transfer has come: on a terminal alone, and not for programs. */
export interface Progress {
  bytes(count: number): void;
  file(): void;
  /** Takes the line away. */
  end(): void;
}

/** No eye follows more. */
const DRAW_EVERY_MS = 100;
const CLEAR = "\r\u001b[K";

/** What a shell says of a program that Ctrl-C ended. */
const EXIT_INTERRUPTED = 130;

export function showProgress(
  host: Pick<CliHost, "screen" | "clock" | "onSignal" | "exit">,
  total: { readonly verb: string; readonly files: number; readonly bytes: number },
): Progress {
  const { screen, clock } = host;
  const leave = screen && host.onSignal("SIGINT", interrupted);
  const beganMs = clock.elapsedMs();
  let [files, bytes, drawnMs] = [0, 0, Number.NEGATIVE_INFINITY];
  const draw = () => {
    const nowMs = clock.elapsedMs();
    if (!screen || nowMs - drawnMs < DRAW_EVERY_MS) return;
    drawnMs = nowMs;
    const seconds = Math.max(nowMs - beganMs, 1) / 1000;
    const line =
      `${total.verb} ${files} of ${total.files} files, ${humanSize(bytes)} of ${humanSize(total.bytes)}` +
      ` (${percent(bytes, total.bytes)} %), ${humanSize(bytes / seconds)}/s`;
    screen.write(CLEAR + line.slice(0, screen.columns() - 1));
  };
  return {
    bytes(count) {
      bytes += count;
      draw();
    },
    file() {
      files += 1;
      draw();
    },
    end() {
      leave?.();
      screen?.write(CLEAR);
    },
  };
  function interrupted(): void {
    screen?.write(`${CLEAR}Broken off. The same command again goes on where this one was.\n`);
    host.exit(EXIT_INTERRUPTED);
  }
}

function percent(bytes: number, total: number): number {
  return total === 0 ? 100 : Math.min(Math.floor((bytes / total) * 100), 100);
}
