import type { operations } from "reprise-sdk";
import type { CliContext } from "#cli/context";
import { markOf, marksFor } from "#cli/terminal/marks";
import { duration } from "#plumbing/text/duration";
import { localTime, parseTime } from "#cli/terminal/times";

export type StatusRecord = operations["get-status"]["responses"][200]["content"]["application/json"];

/** The fields of a run that `status` and `list` show. */
interface Run {
  readonly name: string;
  readonly status: string;
  readonly created: string;
  readonly restarted_as?: { readonly workflow_name: string };
  readonly progress: {
    readonly total?: { readonly total: number };
    readonly finished?: { readonly total: number };
    readonly failed?: { readonly total: number };
    readonly run_started_at?: string | null;
    readonly wall_ms?: number | null;
  };
}

type Host = Pick<CliContext, "clock" | "environment" | "isTerminal" | "timeZone">;

/** Returns the headings. The heading of the first time column names the zone. */
export function statusHead({ timeZone }: Host, isShort = false): string[] {
  return ["NAME", "STATUS", "JOBS", "DURATION", isShort ? "CREATED" : `CREATED (${timeZone})`];
}

/** Returns a row. Its short form has the time without year and seconds, and of the jobs only how many have finished. */
export function statusRow(cli: Host, run: Run, isShort = false): string[] {
  const { name, status, created, progress, restarted_as: restart } = run;
  const marks = marksFor(cli.environment, cli.isTerminal);
  const followed = restart && status !== "finished" ? ` → ${restart.workflow_name}` : "";
  const word = `${cli.isTerminal ? `${markOf(status, marks)} ` : ""}${status}${followed}`;
  const jobs = isShort ? fractionOf(run) : jobsOf(run);
  const time = localTime(created, cli.timeZone);
  const shownTime = isShort ? time.slice("2026-".length, -":55".length) : time;
  return [name, word, jobs, durationOf(cli, progress), shownTime];
}

/**
 * Returns `6/10, 1 failed, 3 not finished`. The last number appears only for a failed or stopped run, whose
 * remaining jobs never finish.
 */
export function jobsOf({ status, progress }: Pick<Run, "status" | "progress">): string {
  const [all = 0, finished = 0, failed = 0] = [progress.total, progress.finished, progress.failed].map(
    (group) => group?.total,
  );
  if (all === 0) return "-";
  const others = status === "failed" || status === "stopped" ? all - finished - failed : 0;
  return [
    `${finished}/${all}`,
    ...(failed > 0 ? [`${failed} failed`] : []),
    ...(others > 0 ? [`${others} not finished`] : []),
  ].join(", ");
}

function fractionOf({ progress: { total, finished } }: Pick<Run, "progress">): string {
  return total?.total ? `${finished?.total ?? 0}/${total.total}` : "-";
}

/** Returns the time from the start of the run to its end, or until now. */
function durationOf({ clock }: Host, progress: Run["progress"]): string {
  const { run_started_at: started, wall_ms: tookMs } = progress;
  if (!started) return "-";
  return duration(tookMs ?? clock.now() - parseTime(started));
}
