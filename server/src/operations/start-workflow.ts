import type { Engine } from "#engines/engine";
import type { Caller, Operations } from "#operations/context";
import { findWorkflow } from "#operations/find-workflow";
import { fullNameOf } from "#operations/full-name";
import { refusedInStatus } from "#operations/refused-in-status";
import { crashPoint } from "#plumbing/crash-points";
import { Refusal } from "#plumbing/errors";
import { transaction } from "#store/database";
import { insertRunEvent } from "#store/run-events";
import { notify } from "#store/wake-ups";
import { changeStatus } from "#store/workflow-status";
import { oneDefinition, oneWorkflow, setStartOptions, type Workflow } from "#store/workflows";
import { unsupportedOption } from "#workflow/specification/option-warnings";
import { isObject } from "#workflow/specification/shape";
import type { Specification } from "#workflow/specification/specification";

export interface StartInput {
  /** UUID or name. */
  readonly address: string;
  /** They win over the specification's own, and must be declared there. */
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly options: Readonly<Record<string, unknown>>;
}

type Context = Pick<Operations, "db" | "clock" | "engines" | "scheduler">;

/** The event that a run's history begins with. */
const FIRST_EVENT = 0;

/**
 * Queues a run that was created. Everything that would keep it from going on is said now, not by a run that fails.
 * Once this has answered, the start is in the database: the scheduler is only told to look.
 */
export async function startWorkflow(context: Context, caller: Caller, input: StartInput): Promise<Workflow> {
  const workflow = await findWorkflow(context.db, caller, input.address, "change");
  if (workflow.status !== "created") throw refusedInStatus("started", fullNameOf(workflow), workflow.status);
  const { specification } = await oneDefinition(context.db, workflow.id);
  const engine = engineFor(context, workflow);
  checkParameters(specification, input.parameters);
  checkOptions(workflow, input.options);
  checkWithEngine(engine, workflow, { specification, ...input });
  const queued = await queue(context, workflow, input);
  crashPoint("start-recorded");
  context.scheduler.wake();
  return queued;
}

function engineFor(context: Context, workflow: Workflow): Engine {
  const engine = context.engines.get(workflow.language);
  if (engine) return engine;
  const languages = [...context.engines.keys()].join(", ");
  throw new Refusal(
    "not-implemented",
    `Workflow ${fullNameOf(workflow)} could not be started: this server cannot run ${workflow.language} workflows ` +
      `(it runs: ${languages}).`,
  );
}

function checkParameters(specification: Specification, given: StartInput["parameters"]): void {
  const declared: unknown = specification.inputs?.parameters;
  const unknown = Object.keys(given).find((name) => !isObject(declared) || !Object.hasOwn(declared, name));
  if (unknown !== undefined) {
    throw new Refusal("malformed", `Input parameter "${unknown}" is not present in reana.yaml`);
  }
}

function checkOptions({ language }: Workflow, given: StartInput["options"]): void {
  const problem = Object.keys(given)
    .map((name) => unsupportedOption(name, language))
    .find((sentence) => sentence !== undefined);
  if (problem !== undefined) throw new Refusal("malformed", `==> ERROR: ${problem}`);
}

function checkWithEngine(engine: Engine, workflow: Workflow, input: Parameters<Engine["check"]>[0]): void {
  const problems = engine.check(input);
  if (problems.length === 0) return;
  const sentences = problems.map((problem) => problem.message).join("\n");
  throw new Refusal("malformed", `Workflow ${fullNameOf(workflow)} could not be started. ${sentences}`);
}

async function queue(context: Context, workflow: Workflow, input: StartInput): Promise<Workflow> {
  const { parameters, options } = input;
  const atMs = context.clock.now();
  return transaction(context.db, async (db) => {
    if (!(await changeStatus(db, { workflowId: workflow.id, to: "queued", by: "user", atMs }))) {
      const present = await oneWorkflow(db, workflow.id);
      throw refusedInStatus("started", fullNameOf(workflow), present.status);
    }
    await setStartOptions(db, workflow.id, parameters, options);
    const body = { parameters, options };
    await insertRunEvent(db, workflow.id, { seq: FIRST_EVENT, kind: "start", body, log: "", atMs });
    await notify(db, { kind: "run-queued" });
    await notify(db, { kind: "run-changed", workflowId: workflow.id });
    return oneWorkflow(db, workflow.id);
  });
}
