import type { Caller, Operations } from "#operations/context";
import { findWorkflow } from "#operations/find-workflow";
import { fullNameOf } from "#operations/full-name";
import { reasonAgainst, refusedInStatus } from "#operations/runs/refused-in-status";
import { mustBeFree } from "#operations/runs/restart-workflow";
import { checkStart } from "#operations/runs/start-checks";
import { Refusal } from "#plumbing/errors";
import { oneDefinition, type Workflow } from "#store/workflows";

export const ACTIONS = ["start", "restart", "rerun", "stop", "delete"] as const;

export interface Action {
  readonly name: (typeof ACTIONS)[number];
  /** Sentence with which the action would be refused now. Absent if it can be done. */
  readonly reason: string | undefined;
}

type Context = Pick<Operations, "db" | "engines">;
/** Throws what the action itself would throw. */
type Check = (context: Context, workflow: Workflow) => Promise<void>;

const CHECKS: Readonly<Record<Action["name"], Check>> = {
  start: mayStart,
  restart: (context, workflow) => mayRunAgain(context, workflow, "restarted"),
  rerun: (context, workflow) => mayRunAgain(context, workflow, "rerun"),
  stop: async (_, workflow) => statusAllows("stopped", workflow),
  delete: async (_, workflow) => statusAllows("deleted", workflow),
};

/** Lists the actions on a run, judged by the same table and checks that carry them out or refuse them. */
export async function listActions(context: Context, caller: Caller, address: string): Promise<Action[]> {
  const workflow = await findWorkflow(context.db, caller, address, "see");
  return Promise.all(
    ACTIONS.map(async (name) => ({
      name,
      reason: await maybeRefusal(() => CHECKS[name](context, workflow)),
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

function statusAllows(verb: Parameters<typeof reasonAgainst>[0], workflow: Workflow): void {
  if (reasonAgainst(verb, workflow.status) === undefined) return;
  throw refusedInStatus(verb, fullNameOf(workflow), workflow.status);
}

async function mayStart(context: Context, workflow: Workflow): Promise<void> {
  statusAllows("started", workflow);
  await mayBegin(context, workflow, "started");
}

async function mayRunAgain(context: Context, workflow: Workflow, verb: "restarted" | "rerun"): Promise<void> {
  statusAllows(verb, workflow);
  await mustBeFree(context.db, workflow, verb);
  await mayBegin(context, workflow, verb);
}

async function mayBegin(
  context: Context,
  workflow: Workflow,
  verb: Parameters<typeof checkStart>[1]["verb"],
): Promise<void> {
  const { specification, inputParameters: parameters } = await oneDefinition(context.db, workflow.id);
  checkStart(context, { specification, parameters, options: {}, name: fullNameOf(workflow), verb });
}
