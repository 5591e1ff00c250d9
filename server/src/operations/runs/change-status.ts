import type { Caller } from "#operations/context";
import type { RunServices } from "#operations/runs/services";
import { deleteRun } from "#operations/runs/delete-run";
import type { Keyed } from "#operations/idempotency";
import { type RestartInput, restartRun } from "#operations/runs/start/restart-run";
import { type StartedRun, startRun } from "#operations/runs/start/start-run";
import { stopRun } from "#operations/runs/stop-run";
import { Refusal } from "#plumbing/errors";

export interface ChangeStatusInput extends RestartInput {
  /** Requested status: `start`, `stop` or `deleted`. */
  readonly word: string | undefined;
  /** With `start`: restart a run that has ended. */
  readonly restart: boolean;
  readonly allRuns: boolean;
}

type ChangeStatusContext = Pick<
  RunServices,
  | "db"
  | "clock"
  | "random"
  | "engines"
  | "scheduler"
  | "capabilities"
  | "workspaces"
  | "documents"
  | "quotas"
  | "jobLogs"
  | "disk"
  | "notebooks"
  | "unfinishedRemovals"
  | "runSettings"
> &
  Keyed;
type Change = (context: ChangeStatusContext, caller: Caller, input: ChangeStatusInput) => Promise<StartedRun>;

const CHANGES: ReadonlyMap<string, Change> = new Map<string, Change>([
  ["start", start],
  ["stop", (context, caller, { address }) => stopRun(context, caller, address)],
  ["deleted", deleteRun],
]);

/** Carries out the status change named by a word. Returns the run with its new status. */
export async function changeStatus(
  context: ChangeStatusContext,
  caller: Caller,
  input: ChangeStatusInput,
): Promise<StartedRun> {
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

async function start(
  context: ChangeStatusContext,
  caller: Caller,
  input: ChangeStatusInput,
): Promise<StartedRun> {
  return input.restart ? restartRun(context, caller, input) : startRun(context, caller, input);
}
