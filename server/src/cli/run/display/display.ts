import type { CliContext } from "#cli/context";
import type { Transfer, TransferTotal } from "#cli/terminal/progress-line";
import { duration } from "#plumbing/text/duration";
import type { RunEvent } from "#cli/run/follow";
import type { PrintedLines } from "#cli/run/display/job-output";
import type { CreatedRun, JobView, RunView } from "#cli/run/service/run-service";
import { NO_TRANSFER } from "#cli/terminal/transfer-line";
import { shortSize } from "#plumbing/text/human-size";
import { cutInMiddle } from "#plumbing/text/cut-in-middle";
import { printable } from "#plumbing/text/printable";

/** The progress of a run, as shown to a person. The command itself prints the result. */
export interface Display {
  /** Sets the displayed run. */
  created(run: CreatedRun): void;
  started(run: CreatedRun): void;
  /** Shows one sentence. */
  say(sentence: string): void;
  /** Shows the progress of a copy if it takes long enough. */
  transfer(total: TransferTotal): Transfer;
  onEvents(events: readonly RunEvent[], view: RunView): void;
  printed: PrintedLines;
  /** Stops all redrawing. */
  end(): void;
}

const COMMAND_LENGTH = 160;
/** Size above which a copy gets a line in a log. Smaller copies take almost no time. */
const LARGE_BYTES = 64 * 2 ** 20;

/** Prints a line for each event: for files, pipes and the logs of other programs. */
export function lineDisplay(cli: Pick<CliContext, "printError">): Display {
  let name = "";
  return {
    created(run) {
      name = run.name;
      for (const warning of warningsOf(run)) cli.printError(warning);
    },
    started: (run) => cli.printError(`${run.name} started.`),
    say: (sentence) => cli.printError(sentence),
    transfer({ verb, noun, files, bytes }) {
      const what = files === 1 ? noun : `${files} ${noun}`;
      return {
        ...NO_TRANSFER,
        end: () => bytes > LARGE_BYTES && cli.printError(`${verb} ${what}, ${shortSize(bytes)}.`),
      };
    },
    onEvents(events) {
      for (const event of events) cli.printError(`${name}: ${inWords(event)}`);
    },
    printed(job, lines) {
      for (const line of lines) cli.printError(prefixed(job, line));
    },
    end: () => undefined,
  };
}

/** Prints a JSON line for each event to standard output. */
export function jsonDisplay(cli: Pick<CliContext, "print">): Display {
  let name = "";
  return {
    created(run) {
      name = run.name;
      cli.print(JSON.stringify({ run: name, event: "created", id: run.id, warnings: run.warnings }));
    },
    started: () => undefined,
    say: () => undefined,
    transfer: () => NO_TRANSFER,
    onEvents(events) {
      for (const event of events) {
        cli.print(JSON.stringify({ run: name, ...inRecord(event) }));
      }
    },
    printed({ id, step }, lines) {
      cli.print(JSON.stringify({ run: name, event: "printed", job: id, step, lines }));
    },
    end: () => undefined,
  };
}

export function warningsOf({ warnings }: CreatedRun): string[] {
  return warnings.map((warning) => `Warning: ${printable(warning, 500)}`);
}

/** Returns `fit · task 7 (s07.txt) | chi2 = 0.3`. */
export function prefixed({ label }: Pick<JobView, "label">, line: string): string {
  return `${cutInMiddle(printable(label === "" ? "job" : label, 200), 40)} | ${line}`;
}

function inWords(event: RunEvent): string {
  if (event.kind === "waiting") return `waiting: ${printable(event.why, 300)}`;
  const what = jobInWords(event.job, COMMAND_LENGTH);
  if (event.kind === "job-started") return `started ${what}`;
  const { tookMs } = event.job;
  const took = tookMs === undefined ? "" : ` after ${duration(tookMs)}`;
  return `${shownStatus(event.job)}${took}: ${what}`;
}

/** Returns the status of a job for people. A job that could not begin has the status `stopped`, but nobody stopped it. */
export function shownStatus({ status, reason }: Pick<JobView, "status" | "reason">): string {
  return reason === "not-started" ? "not started" : status;
}

type ShownJob = Pick<JobView, "label" | "shownCommand">;

/** Returns `fit · task 7 (s07.txt): python fit.py`, or only the command for a step without a name. */
export function jobInWords({ label, shownCommand }: ShownJob, maxLength: number): string {
  const text = label === "" ? shownCommand : `${label}: ${shownCommand}`;
  return printable(text.trim().replace(/\s+/g, " "), maxLength);
}

function inRecord(event: RunEvent): object {
  if (event.kind === "waiting") return { event: "waiting", waiting_for: event.why };
  const { id, step, label, command, status, tookMs } = event.job;
  const job = { job: id, step, label, command };
  if (event.kind === "job-started") return { event: "job-started", ...job };
  return { event: "job-ended", ...job, status, duration_ms: tookMs ?? null };
}
