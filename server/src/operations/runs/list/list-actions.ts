import type { Caller } from "#operations/context";
import type { RunServices } from "#operations/runs/services";
import { findRun, readOnly } from "#operations/find-run";
import { fullNameOf } from "#operations/full-name";
import { whyNot, statusConflict } from "#operations/runs/status-conflict";
import { mustBeFree } from "#operations/runs/start/restart-run";
import { mayChange } from "#operations/permission";
import { checkStart } from "#operations/runs/checks/start-checks";
import { Refusal } from "#plumbing/errors";
import { oneDefinition, type Run } from "#store/runs/runs";

export const ACTIONS = ["start", "restart", "rerun", "stop", "delete"] as const;

export interface Action {
  readonly name: (typeof ACTIONS)[number];
  /** Reason for refusing the action now, as a sentence. Absent if the action is allowed. */
  readonly reason: string | undefined;
}

type ActionsContext = Pick<RunServices, "db" | "clock" | "engines" | "capabilities">;
/** Throws the same refusal as the action itself. */
type Check = (context: ActionsContext, run: Run) => Promise<void>;

const CHECKS: Readonly<Record<Action["name"], Check>> = {
  start: mayStart,
  restart: (context, run) => mayRunAgain(context, run, "restarted"),
  rerun: (context, run) => mayRunAgain(context, run, "rerun"),
  stop: async (_, run) => statusAllows("stopped", run),
  delete: async (_, run) => statusAllows("deleted", run),
};

/** Lists the actions on a run. Availability is judged by the table and checks of the actions themselves. */
export async function listActions(
  context: ActionsContext,
  caller: Caller,
  address: string,
): Promise<Action[]> {
  const run = await findRun(context, caller, address, "see");
  if (!mayChange(caller, run)) return ACTIONS.map((name) => ({ name, reason: readOnly(run).message }));
  return Promise.all(
    ACTIONS.map(async (name) => ({
      name,
      reason: await maybeRefusal(() => CHECKS[name](context, run)),
    })),
  );
}

async function maybeRefusal(check: () => Promise<void>): Promise<string | undefined> {
  try {
    await check();
    return undefined;
  } catch (error) {
    if (error instanceof Refusal) return error.message;
    throw error;
  }
}

function statusAllows(verb: Parameters<typeof whyNot>[0], run: Run): void {
  if (whyNot(verb, run.status) === undefined) return;
  throw statusConflict(verb, fullNameOf(run), run.status);
}

async function mayStart(context: ActionsContext, run: Run): Promise<void> {
  statusAllows("started", run);
  await mayBegin(context, run, "started");
}

async function mayRunAgain(context: ActionsContext, run: Run, verb: "restarted" | "rerun"): Promise<void> {
  statusAllows(verb, run);
  await mustBeFree(context.db, run, verb);
  await mayBegin(context, run, verb);
}

async function mayBegin(
  context: ActionsContext,
  run: Run,
  verb: Parameters<typeof checkStart>[1]["verb"],
): Promise<void> {
  const { specification, inputParameters: parameters } = await oneDefinition(context.db, run.id);
  const { ownerId } = run;
  await checkStart(context, { specification, parameters, options: {}, name: fullNameOf(run), verb, ownerId });
}
