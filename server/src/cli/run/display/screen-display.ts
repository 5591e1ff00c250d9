import type { Screen } from "#cli/context";
import { markOf, type Marks, marksFor } from "#cli/terminal/marks";
import { type Display, jobInWords, prefixed, shownStatus, warningsOf } from "#cli/run/display/display";
import { duration } from "#plumbing/text/duration";
import type { RunEvent } from "#cli/run/follow";
import { liveScreen } from "#cli/terminal/live-screen";
import type { JobView, RunView } from "#cli/run/service/run-service";
import { transferLine } from "#cli/terminal/transfer-line";
import type { Clock } from "#plumbing/clock";

/** Every run waits briefly: a reason shown earlier would only flash. */
const WAITING_SHOWN_AFTER_MS = 1000;

/** Shows a run on a terminal: a line for each job that has ended, and a live line with the current state below. */
export function screenDisplay(screen: Screen, clock: Clock, marks = marksFor({}, false)): Display {
  let shown: RunView | undefined;
  let startedAtMs = clock.elapsedMs();
  const transfers = transferLine(clock);
  const live = liveScreen(screen, clock, (_elapsedMs, columns) => {
    const copying = transfers.text();
    const elapsedMs = clock.elapsedMs() - startedAtMs;
    return copying ?? (shown === undefined ? "" : liveLine(shown, elapsedMs, columns));
  });
  return {
    created: (run) => live.above(warningsOf(run)),
    started(run) {
      startedAtMs = clock.elapsedMs();
      live.above([`${run.name} started.`]);
    },
    say: (sentence) => live.above([sentence]),
    transfer(total) {
      live.draw();
      return transfers.begin(total);
    },
    onEvents(events, view) {
      const isFirst = shown === undefined;
      shown = view;
      const lines = events.flatMap((event) => endLine(event, screen.columns(), marks) ?? []);
      live.above(lines);
      if (isFirst) live.draw();
    },
    printed(job, lines) {
      live.above(lines.map((line) => prefixed(job, line)));
    },
    end: () => live.end(),
  };
}

function endLine(event: RunEvent, columns: number, marks: Marks): string | undefined {
  if (event.kind !== "job-ended") return undefined;
  const { job } = event;
  const took = job.tookMs === undefined ? "" : `  ${duration(job.tookMs)}`;
  const room = Math.max(columns - took.length - 3, 10);
  return `${markOf(shownStatus(job), marks)} ${jobInWords(job, room - 1)}${took}`;
}

/** Returns `2/5  12 s  fit: python fit.py`. */
function liveLine(view: RunView, elapsedMs: number, columns: number): string {
  const running = view.jobs.filter((job) => job.status === "running");
  const progress = `${view.jobsFinished}/${view.jobsTotal}  ${duration(elapsedMs)}  `;
  const room = Math.max(columns - progress.length - 2, 10);
  const waitingFor = elapsedMs < WAITING_SHOWN_AFTER_MS ? undefined : view.waitingFor;
  return progress + doing({ ...view, waitingFor }, running, room);
}

function doing(view: RunView, running: readonly JobView[], room: number): string {
  const [first] = running;
  if (first === undefined) return view.waitingFor === undefined ? view.status : `waiting: ${view.waitingFor}`;
  const others = running.length === 1 ? "" : ` and ${running.length - 1} more`;
  return jobInWords(first, Math.max(room - others.length - 1, 10)) + others;
}
