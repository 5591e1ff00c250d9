import type { RepriseClient } from "reprise-sdk";
import { EXIT_FAILURE } from "#cli/failure";
import type { CliContext } from "#cli/context";
import { type Paced, paceInLine } from "#cli/runs/watch/pace";
import { printFailureOf } from "#cli/runs/watch/run-failure";
import { jobsOf, type StatusRecord } from "#cli/runs/watch/status-row";
import { whileWaiting } from "#cli/connection/while-waiting";
import { runParams } from "#cli/run-address";
import { printable } from "#plumbing/text/printable";
import { liveScreen } from "#cli/terminal/live-screen";
import { isOver } from "#workflow/run/run-status";

/** Interval between two requests for a run's status. */
export const POLL_INTERVAL_MS = 500;

interface Watched {
  /** UUID or name of the run. */
  readonly run: string;
  readonly asJson: boolean;
}

/**
 * Shows the state until the run has ended: at a terminal as one line that is redrawn, elsewhere as a line for each
 * change. Returns 0 if the run has finished, else 1.
 */
export async function watchStatus(cli: CliContext, client: RepriseClient, watched: Watched): Promise<number> {
  let name = watched.run;
  const show = watched.asJson || !cli.isTerminal ? changesOf(cli, watched.asJson) : lineOnScreen(cli);
  try {
    return await whileWaiting(
      () => name,
      () => watch(cli, client, { ...watched, show, onName: (known) => (name = known) }),
    );
  } finally {
    show.end();
  }
}

interface Show {
  state(record: StatusRecord): void;
  end(): void;
}

function changesOf({ print }: Pick<CliContext, "print">, asJson: boolean): Show {
  let last = "";
  const lineOf = (record: StatusRecord) => (asJson ? JSON.stringify(inShort(record)) : statusLine(record));
  return {
    state(record) {
      const paceless = lineOf(withoutPace(record));
      if (paceless !== last) print(lineOf(record));
      last = paceless;
    },
    end: () => undefined,
  };
}

function lineOnScreen(cli: Pick<CliContext, "screen" | "clock" | "print">): Show {
  if (!cli.screen) return changesOf(cli, false);
  let line = "";
  const live = liveScreen(cli.screen, cli.clock, () => line);
  return {
    state(record) {
      line = statusLine(record);
      if (!isOver(record.status)) return live.draw();
      live.end();
      cli.print(line);
    },
    end: () => live.end(),
  };
}

async function watch(
  cli: CliContext,
  client: RepriseClient,
  { run, asJson, show, onName }: Watched & { readonly show: Show; onName(name: string): void },
): Promise<number> {
  for (;;) {
    const { data } = await client.GET("/api/workflows/{workflow_id_or_name}/status", {
      params: runParams(run),
    });
    onName(data!.name);
    show.state(data!);
    if (data!.status === "failed" && !asJson) await printFailureOf(cli, client, run);
    if (isOver(data!.status)) return data!.status === "finished" ? 0 : EXIT_FAILURE;
    await new Promise<void>((resolve) => void cli.clock.after(POLL_INTERVAL_MS, resolve));
  }
}

type ShownStatus = Pick<StatusRecord, "name" | "status" | "waiting_for"> &
  Paced & { readonly progress: Pick<StatusRecord["progress"], "current_label"> };

/** Returns `fit.1 is running, jobs 6/30, 4 jobs a minute, about 6 min 0 s left: fit · task 7 (s07.txt)`. */
export function statusLine(record: ShownStatus): string {
  const { name, status, progress, waiting_for: waitingFor } = record;
  const jobs = progress.total.total > 0 ? `, jobs ${jobsOf(record)}` : "";
  const job = status === "running" && progress.current_label ? `: ${progress.current_label}` : "";
  const line = `${name} is ${status}${jobs}${paceInLine(record)}${waitingFor ? `; waiting: ${waitingFor}` : job}`;
  return printable(line.replace(/ is (finished|failed)/, " $1"), 500);
}

/** Leaves out the pace, which changes with the time alone. */
function withoutPace({ pace: _pace, ...record }: StatusRecord): StatusRecord {
  return record;
}

/** Leaves out the output of the jobs, which `logs` shows. */
function inShort({ logs: _logs, ...record }: StatusRecord): object {
  return record;
}
