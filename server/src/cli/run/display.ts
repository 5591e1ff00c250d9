import type { CliHost } from "#cli/host";
import { duration } from "#cli/run/duration";
import type { Happening } from "#cli/run/follow";
import type { CreatedRun, JobLook, RunLook } from "#cli/run/run-service";
import { printable } from "#plumbing/printable";

/** What somebody sees while a run goes on. What it leads to is printed by the command itself. */
export interface Display {
  /** From now on this is the run that it is about. */
  began(run: CreatedRun): void;
  /** One sentence. */
  say(sentence: string): void;
  happened(happenings: readonly Happening[], look: RunLook): void;
  /** Nothing more changes by itself. */
  end(): void;
}

const COMMAND_LENGTH = 160;

/** A line for each thing that happens: for files, pipes and the logs of other programs. */
export function lineDisplay(host: Pick<CliHost, "complain">): Display {
  let name = "";
  return {
    began(run) {
      name = run.name;
      for (const sentence of beginning(run)) host.complain(sentence);
    },
    say: (sentence) => host.complain(sentence),
    happened(happenings) {
      for (const happening of happenings) host.complain(`${name}: ${inWords(happening)}`);
    },
    end: () => undefined,
  };
}

/** A JSON line for each thing that happens, on the standard output. */
export function jsonDisplay(host: Pick<CliHost, "print">): Display {
  let name = "";
  return {
    began(run) {
      name = run.name;
      host.print(JSON.stringify({ run: name, event: "created", id: run.id, warnings: run.warnings }));
    },
    say: () => undefined,
    happened(happenings) {
      for (const happening of happenings) {
        host.print(JSON.stringify({ run: name, ...inRecord(happening) }));
      }
    },
    end: () => undefined,
  };
}

/** What is said of one that begins. */
export function beginning({ name, warnings }: CreatedRun): string[] {
  return [`${name} begins.`, ...warnings.map((warning) => `Warning: ${printable(warning, 500)}`)];
}

function inWords(happening: Happening): string {
  if (happening.kind === "waiting") return `waits for: ${printable(happening.why, 300)}`;
  const what = jobInWords(happening.job, COMMAND_LENGTH);
  if (happening.kind === "job-started") return `started ${what}`;
  const { status, tookMs } = happening.job;
  const took = tookMs === undefined ? "" : ` after ${duration(tookMs)}`;
  return `${status}${took}: ${what}`;
}

/** `fit: python fit.py`; a step without a name goes by its command alone. */
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
