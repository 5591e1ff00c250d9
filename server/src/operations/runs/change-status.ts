import type { Caller, Operations } from "#operations/context";
import { deleteRun } from "#operations/runs/delete-run";
import { fullNameOf } from "#operations/full-name";
import { type RestartInput, restartRun } from "#operations/runs/restart-run";
import { type StartedRun, startRun } from "#operations/runs/start-run";
import { stopRun } from "#operations/runs/stop-run";
import { Refusal } from "#plumbing/errors";
import type { Run } from "#store/runs";

export interface ChangeStatusInput extends RestartInput {
  /** Requested status: `start`, `stop` or `deleted`. */
  readonly word: string | undefined;
  /** With `start`: restart a run that has ended. */
  readonly restart: boolean;
  readonly allRuns: boolean;
}

export interface StatusChanged {
  readonly run: StartedRun;
  readonly message: string;
}

/** Message for a start and for a restart. */
export const SUBMITTED = "Workflow submitted.";

type Context = Pick<
  Operations,
  "db" | "clock" | "random" | "engines" | "scheduler" | "capabilities" | "workspaces" | "jobLogs" | "disk"
>;
type Change = (context: Context, caller: Caller, input: ChangeStatusInput) => Promise<StatusChanged>;

const CHANGES: ReadonlyMap<string, Change> = new Map<string, Change>([
  ["start", start],
  ["stop", stop],
  ["deleted", remove],
]);

/** Carries out the status change that a word names. Returns a sentence about the outcome. */
export async function changeStatus(
  context: Context,
  caller: Caller,
  input: ChangeStatusInput,
): Promise<StatusChanged> {
  const words = [...CHANGES.keys()].join(", ");
  if (!input.word) {
    throw new Refusal("malformed", `No status was given. Add the query parameter status, one of: ${words}.`);
  }
  const change = CHANGES.get(input.word);
  if (change) return change(context, caller, input);
  throw new Refusal("not-implemented", `Status ${input.word.slice(0, 100)} is not one of: ${words}`, {
    errorCode: "status-unknown",
  });
}

async function start(context: Context, caller: Caller, input: ChangeStatusInput): Promise<StatusChanged> {
  const begin = input.restart ? restartRun : startRun;
  return { run: await begin(context, caller, input), message: SUBMITTED };
}

async function stop(context: Context, caller: Caller, input: ChangeStatusInput): Promise<StatusChanged> {
  const run = await stopRun(context, caller, input.address);
  return { run, message: stopMessage(run) };
}

/** Describes a stop. The run may have ended before the stop reached it, or its processes may still be ending. */
function stopMessage(run: Run): string {
  const name = fullNameOf(run);
  switch (run.status) {
    case "stopped":
      return "Workflow successfully stopped";
    case "finished":
    case "failed":
      return `Workflow ${name} ended before it could be stopped: it has ${run.status}.`;
    default:
      return `Workflow ${name} is being stopped: its processes have not all ended yet. Check its status again.`;
  }
}

async function remove(context: Context, caller: Caller, input: ChangeStatusInput): Promise<StatusChanged> {
  const run = await deleteRun(context, caller, input);
  const message = input.allRuns
    ? `All workflows named ${run.name} successfully deleted.`
    : "Workflow successfully deleted.";
  return { run, message };
}
