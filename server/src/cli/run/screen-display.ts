import type { Screen } from "#cli/host";
import { type Display, jobInWords } from "#cli/run/display";
import { duration } from "#cli/run/duration";
import type { Happening } from "#cli/run/follow";
import type { JobLook, RunLook } from "#cli/run/run-service";
import type { Clock } from "#plumbing/clock";
import { printable } from "#plumbing/printable";

const REDRAW_MS = 200;
const TO_LINE_START = "\r\u001b[K";
/** Dim, and as it was. */
const QUIET = ["\u001b[2m", "\u001b[22m"] as const;
const MARKS: Readonly<Record<string, string>> = { finished: "✓", failed: "✗", stopped: "■" };

/** On a terminal: a line for each job that has ended, and below them one that is drawn again and again. */
export function screenDisplay(screen: Screen, clock: Clock): Display {
  const beganAtMs = clock.elapsedMs();
  let shown: RunLook | undefined;
  let callOff: (() => void) | undefined;
  const clear = () => screen.write(TO_LINE_START);
  const draw = () => {
    if (shown === undefined) return;
    const line = liveLine(shown, clock.elapsedMs() - beganAtMs, screen.columns());
    screen.write(`${TO_LINE_START}${QUIET[0]}${line}${QUIET[1]}`);
    callOff?.();
    callOff = clock.after(REDRAW_MS, draw);
  };
  const above = (lines: readonly string[]) => {
    clear();
    for (const line of lines) screen.write(`${line}\n`);
    draw();
  };
  return {
    say: (sentence) => above([sentence]),
    happened(happenings, look) {
      shown = look;
      const lines = happenings.flatMap((happening) => endLine(happening, screen.columns()) ?? []);
      if (lines.length > 0) above(lines);
      else if (callOff === undefined) draw();
    },
    end() {
      if (shown === undefined) return;
      callOff?.();
      shown = undefined;
      clear();
    },
  };
}

function endLine(happening: Happening, columns: number): string | undefined {
  if (happening.kind !== "job-ended") return undefined;
  const { job, tookMs } = happening;
  const took = tookMs === undefined ? "" : `  ${duration(tookMs)}`;
  const room = Math.max(columns - took.length - 3, 10);
  return `${MARKS[job.status] ?? "·"} ${jobInWords(job, room - 1)}${took}`;
}

/** `2/5  0:12  fit: python fit.py`; what does not fit is cut, because a line that wraps cannot be drawn again. */
function liveLine(look: RunLook, elapsedMs: number, columns: number): string {
  const running = look.jobs.filter((job) => job.status === "running");
  const progress = `${look.jobsFinished}/${look.jobsTotal}  ${duration(elapsedMs)}  `;
  const room = Math.max(columns - progress.length - 2, 10);
  return progress + printable(doing(look, running, room), room);
}

function doing(look: RunLook, running: readonly JobLook[], room: number): string {
  const [first] = running;
  if (first === undefined)
    return look.waitingFor === undefined ? look.status : `waits for: ${look.waitingFor}`;
  const others = running.length === 1 ? "" : ` and ${running.length - 1} more`;
  return jobInWords(first, Math.max(room - others.length - 1, 10)) + others;
}
