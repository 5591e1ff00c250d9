import type { CliHost } from "#cli/host";
import type { Transfer, TransferTotal } from "#cli/terminal/progress-line";
import { duration } from "#cli/terminal/duration";
import type { Happening } from "#cli/run/follow";
import type { PrintedLines } from "#cli/run/display/job-output";
import type { CreatedRun, JobLook, RunLook } from "#cli/run/service/run-service";
import { NO_TRANSFER } from "#cli/terminal/transfer-line";
import { shortSize } from "#plumbing/human-size";
import { printable } from "#plumbing/printable";

/** The progress of a run, as shown to a person. The command itself prints the result. */
export interface Display {
  /** Sets the run that the display is about. */
  created(run: CreatedRun): void;
  started(run: CreatedRun): void;
  /** Shows one sentence. */
  say(sentence: string): void;
  /** Shows the progress of a copy if it takes long enough. */
  transfer(total: TransferTotal): Transfer;
  happened(happenings: readonly Happening[], look: RunLook): void;
  printed: PrintedLines;
  /** Stops all redrawing. */
  end(): void;
}

const COMMAND_LENGTH = 160;
/** Size above which a copy gets a line in a log. Smaller copies take almost no time. */
const LARGE_BYTES = 64 * 2 ** 20;

/** Prints a line for each event: for files, pipes and the logs of other programs. */
export function lineDisplay(host: Pick<CliHost, "complain">): Display {
  let name = "";
  return {
    created(run) {
      name = run.name;
      for (const warning of warningsOf(run)) host.complain(warning);
    },
    started: (run) => host.complain(`${run.name} started.`),
    say: (sentence) => host.complain(sentence),
    transfer({ verb, noun, files, bytes }) {
      const what = files === 1 ? noun : `${files} ${noun}`;
      return {
        ...NO_TRANSFER,
        end: () => bytes > LARGE_BYTES && host.complain(`${verb} ${what}, ${shortSize(bytes)}.`),
      };
    },
    happened(happenings) {
      for (const happening of happenings) host.complain(`${name}: ${inWords(happening)}`);
    },
    printed(job, lines) {
      for (const line of lines) host.complain(prefixed(job, line));
    },
    end: () => undefined,
  };
}

/** Prints a JSON line for each event to standard output. */
export function jsonDisplay(host: Pick<CliHost, "print">): Display {
  let name = "";
  return {
    created(run) {
      name = run.name;
      host.print(JSON.stringify({ run: name, event: "created", id: run.id, warnings: run.warnings }));
    },
    started: () => undefined,
    say: () => undefined,
    transfer: () => NO_TRANSFER,
    happened(happenings) {
      for (const happening of happenings) {
        host.print(JSON.stringify({ run: name, ...inRecord(happening) }));
      }
    },
    printed({ id, step }, lines) {
      host.print(JSON.stringify({ run: name, event: "printed", job: id, step, lines }));
    },
    end: () => undefined,
  };
}

export function warningsOf({ warnings }: CreatedRun): string[] {
  return warnings.map((warning) => `Warning: ${printable(warning, 500)}`);
}

/** Returns `fit | chi2 = 0.3`. */
export function prefixed({ step }: Pick<JobLook, "step">, line: string): string {
  return `${printable(step === "" ? "job" : step, 40)} | ${line}`;
}

function inWords(happening: Happening): string {
  if (happening.kind === "waiting") return `waiting: ${printable(happening.why, 300)}`;
  const what = jobInWords(happening.job, COMMAND_LENGTH);
  if (happening.kind === "job-started") return `started ${what}`;
  const { status, tookMs } = happening.job;
  const took = tookMs === undefined ? "" : ` after ${duration(tookMs)}`;
  return `${status}${took}: ${what}`;
}

/** Returns `fit: python fit.py`, or only the command for a step without a name. */
export function jobInWords({ step, command }: JobLook, maxLength: number): string {
  const text = step === "" ? command : `${step}: ${command}`;
  return printable(text.trim().replace(/\s+/g, " "), maxLength);
}

function inRecord(happening: Happening): object {
  if (happening.kind === "waiting") return { event: "waiting", waiting_for: happening.why };
  const { id, step, command, status, tookMs } = happening.job;
  const job = { job: id, step, command };
  if (happening.kind === "job-started") return { event: "job-started", ...job };
  return { event: "job-ended", ...job, status, duration_ms: tookMs ?? null };
}
