import type { RunEvent } from "reprise-sdk";

/** Something that happened to a run at a time. */
export interface Happening {
  readonly at: string;
  readonly text: string;
  /** The job that has ended. Absent for a line of the run's own log. */
  readonly job?: { readonly key: string; readonly status: string };
  readonly isError?: boolean;
}

/** Returns the rows of a run's history: one for each ended job and each log line. */
export function happeningsOf(events: readonly RunEvent[]): readonly Happening[] {
  return events.flatMap((event): readonly Happening[] => {
    if (event.event === "log") {
      const { at, text } = event.data;
      const lines = text.split("\n").filter((line) => line !== "");
      return lines.map((line) => ({ at, ...saidBy(line) }));
    }
    if (event.event !== "job" || event.data.at === null) return [];
    const { at, key, status } = event.data;
    return [{ at, text: jobInWords(event.data), job: { key, status } }];
  });
}

type JobEnd = Extract<RunEvent, { event: "job" }>["data"];

function jobInWords({ step, key, attempt, status, reason, exit_code: code }: JobEnd): string {
  const name = step === "" ? key : step;
  const which = attempt > 1 ? `${name}, attempt ${attempt}` : name;
  const how = reason === null || reason === "exited" ? [] : [reason.replaceAll("-", " ")];
  const exit = code === null || (code === 0 && status === "finished") ? [] : [`exit code ${code}`];
  return [`${which} ${status}`, ...how, ...exit].join(", ");
}

const REANAS_FORM = /^[\d-]+ [\d:,]+ \| [^|]* \| \w+ \| (\w+) \| (.*)$/;

/** Engines log in REANA's form: `2026-11-21 10:57:41,123 | root | MainThread | INFO | …`. The row has a time already. */
function saidBy(line: string): { readonly text: string; readonly isError: boolean } {
  const [, level, text = line] = REANAS_FORM.exec(line) ?? [];
  return { text, isError: level === "ERROR" };
}
