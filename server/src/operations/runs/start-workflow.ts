import type { Caller, Operations } from "#operations/context";
import { refuseWhenFull } from "#operations/service/disk-shortage";
import { findWorkflow } from "#operations/find-workflow";
import { fullNameOf } from "#operations/full-name";
import type { Keep } from "#operations/kept-answers";
import { refusedInStatus } from "#operations/runs/refused-in-status";
import { checkStart } from "#operations/runs/start-checks";
import { startLog } from "#operations/runs/start-log";
import { crashPoint } from "#plumbing/crash-points";
import { transaction } from "#store/database";
import { insertRunEvent } from "#store/run-events";
import { notify } from "#store/wake-ups";
import { changeStatus } from "#store/workflow-status";
import { oneDefinition, oneWorkflow, setStartOptions, type Workflow } from "#store/workflows";
import type { Specification } from "#workflow/specification/specification";

export interface StartInput {
  /** UUID or name. */
  readonly address: string;
  /** Values that override the specification's own parameters. They must be declared there. */
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly options: Readonly<Record<string, unknown>>;
  readonly keep?: Keep<StartedRun> | undefined;
}

export interface StartedRun extends Workflow {
  /** Sentence about what the start may spoil. */
  readonly warning?: string;
}

type Context = Pick<
  Operations,
  "db" | "clock" | "engines" | "scheduler" | "capabilities" | "retries" | "disk"
>;

/** Number of the first event in a run's history. */
export const FIRST_EVENT = 0;

/**
 * Queues a run that was created. Once this returns, the start is in the database: the scheduler is only woken to look.
 */
export async function startWorkflow(context: Context, caller: Caller, input: StartInput): Promise<Workflow> {
  const workflow = await findWorkflow(context.db, caller, input.address, "change");
  if (workflow.status !== "created") throw refusedInStatus("started", fullNameOf(workflow), workflow.status);
  const { specification } = await oneDefinition(context.db, workflow.id);
  checkStart(context, { ...input, specification, name: fullNameOf(workflow), verb: "started" });
  refuseWhenFull(context.disk);
  const queued = await queue(context, workflow, specification, input);
  crashPoint("start-recorded");
  context.scheduler.wake();
  return queued;
}

async function queue(
  context: Context,
  workflow: Workflow,
  specification: Specification,
  input: StartInput,
): Promise<Workflow> {
  const { parameters, options } = input;
  const atMs = context.clock.now();
  const log = startLog(context, specification, atMs);
  return transaction(context.db, async (db) => {
    if (!(await changeStatus(db, { workflowId: workflow.id, to: "queued", by: "user", atMs }))) {
      const present = await oneWorkflow(db, workflow.id);
      throw refusedInStatus("started", fullNameOf(workflow), present.status);
    }
    await setStartOptions(db, workflow.id, parameters, options, context.retries);
    const body = { parameters, options };
    await insertRunEvent(db, workflow.id, { seq: FIRST_EVENT, kind: "start", body, log, atMs });
    await notify(db, { kind: "run-queued" });
    await notify(db, { kind: "run-changed", workflowId: workflow.id });
    const queued = await oneWorkflow(db, workflow.id);
    await input.keep?.(db, queued);
    return queued;
  });
}
