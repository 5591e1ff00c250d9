import { keptSettings } from "#operations/runs/run-settings";
import { checkDocument } from "#operations/runs/create/create-run";
import type { Caller } from "#operations/context";
import type { RunServices } from "#operations/runs/services";
import { refuseWhenFull } from "#operations/service/disk-shortage";
import { findRun } from "#operations/find-run";
import { fullNameOf } from "#operations/full-name";
import { changing, type Keyed } from "#operations/idempotency";
import { whyNot, statusConflict } from "#operations/runs/status-conflict";
import { keepRetentionRules } from "#operations/files/retention";
import type { ParsedSpecification } from "#operations/runs/create/definition";
import { maybeModel } from "#operations/runs/checks/collect-documents";
import { checkStart, isDeclared } from "#operations/runs/checks/start-checks";
import { startLog } from "#operations/runs/start/start-log";
import { FIRST_EVENT, type StartedRun, type StartInput } from "#operations/runs/start/start-run";
import { crashPoint } from "#plumbing/crash-points";
import { Refusal } from "#plumbing/errors";
import type { Connection } from "#store/database/database";
import { insertRestart, lockStatus, maybeLastRunIn, maybeLiveRunIn, setRestart } from "#store/runs/restarts";
import { isBeingPruned } from "#store/workspaces/retention";
import { insertRunEvent } from "#store/events/run-events";
import { notify } from "#store/database/wake-ups";
import { moveRun } from "#store/runs/move-run";
import { oneDefinition, oneRun, setStartOptions, type Run } from "#store/runs/runs";
import { lockWorkspace } from "#store/workspaces/workspaces";
import { START } from "#workflow/run/event-kinds";
import type { Specification } from "#workflow/specification/specification";

export interface RestartInput extends StartInput {
  /**
   * JSON document of another specification, in any language. Optional: if undefined, the run's own
   * specification.
   */
  readonly document: unknown;
  /** Finds a place in the document's text. Optional: absent if the server has not read the text. */
  readonly placeOf?: ParsedSpecification["placeOf"];
  /** Run everything. Otherwise results that are still valid are taken over. */
  readonly fresh: boolean;
  /** Run all steps from the named step on. */
  readonly fromStep: string | null;
}

type RestartContext = PlanContext & Pick<RunServices, "random" | "disk" | "quotas" | "runSettings"> & Keyed;

type PlanContext = Pick<
  RunServices,
  "db" | "clock" | "engines" | "capabilities" | "workspaces" | "documents"
>;

/** Input of the new run. */
export interface RestartPlan extends Pick<RestartInput, "parameters" | "options" | "fresh" | "fromStep"> {
  readonly specification: Specification;
  /** The model that the engine made from the workflow's documents. */
  readonly model: unknown;
}

/**
 * Runs an ended run again, as `w.1.1` after `w.1`: a run with a new number and history in the same workspace.
 * One transaction inserts and queues the run, so a restart never exists by half.
 */
export async function restartRun(
  context: RestartContext,
  caller: Caller,
  input: RestartInput,
): Promise<StartedRun> {
  const base = await findRun(context, caller, input.address, "change");
  const warning = maybeRestartWarning(base);
  const plan = await checkedPlan(context, base, input);
  await refuseWhenFull(context.disk);
  await context.quotas.refuseUsedUp(base.ownerId);
  const queued = await changing(context, async (db): Promise<StartedRun> => {
    const run = await queueRestart(context, db, base, plan);
    return warning === undefined ? run : { ...run, warning };
  });
  crashPoint("restart-recorded");
  return queued;
}

/** Warns about restarting a finished run: it has results to lose. A failed run is restarted to finish its work. */
export function maybeRestartWarning(base: Run): string | undefined {
  if (base.status !== "finished") return undefined;
  const name = fullNameOf(base);
  return (
    `${name} is finished; a restart replaces its results in the shared workspace. ` +
    `Use reprise rerun ${name} to keep both.`
  );
}

/** Checks whether the new run could start. The previous run is not needed for that. Returns the engine's model. */
async function checkRestart(
  context: PlanContext,
  base: Run,
  plan: Omit<RestartPlan, "model">,
  verb: AgainVerb,
): Promise<unknown> {
  const { specification, parameters, options, fresh, fromStep } = plan;
  const restart = { previous: null, fresh, fromStep };
  const request = { specification, parameters, options, restart };
  const start = { name: fullNameOf(base), verb, ownerId: base.ownerId };
  await checkStart(context, { ...request, ...start });
  return maybeModel(context, start, request, base.workspaceId);
}

/** Returns the input for the restart of a run that has ended. Refuses if it could not be restarted. */
export async function checkedPlan(
  context: PlanContext,
  base: Run,
  input: RestartInput,
  verb: AgainVerb = "restarted",
): Promise<RestartPlan> {
  mustBeOver(base, verb);
  const plan = await planFor(context, base, input);
  return { ...plan, model: await checkRestart(context, base, plan, verb) };
}

export type AgainVerb = "restarted" | "rerun";

export function mustBeOver(base: Run, verb: AgainVerb): void {
  if (whyNot(verb, base.status) === undefined) return;
  throw statusConflict(verb, fullNameOf(base), base.status);
}

/**
 * Keeps the parameters given at the run's start unless the request overrides them: a restart repeats the run,
 * not the original specification. Options apply to a single run only and are not kept.
 */
async function planFor(
  context: PlanContext,
  base: Run,
  input: RestartInput,
): Promise<Omit<RestartPlan, "model">> {
  const before = await oneDefinition(context.db, base.id);
  const isNew = input.document !== undefined && input.document !== null;
  const specification = isNew ? checkDocument(context, input).specification : before.specification;
  const { readsDocuments = false } = context.engines.get(specification.workflow.type) ?? {};
  const isKept = ([name]: readonly [string, unknown]) => readsDocuments || isDeclared(specification, name);
  const kept = Object.entries(before.inputParameters).filter(isKept);
  return {
    specification,
    parameters: { ...Object.fromEntries(kept), ...input.parameters },
    options: input.options,
    fresh: input.fresh,
    fromStep: input.fromStep,
  };
}

async function queueRestart(
  context: RestartContext,
  db: Connection,
  base: Run,
  plan: RestartPlan,
): Promise<Run> {
  const { clock, random } = context;
  // Lock the row until the transaction ends, so no concurrent request deletes the run and its workspace.
  mustBeOver({ ...base, status: await lockStatus(db, base.id) }, "restarted");
  const [id, atMs] = [random.uuid(), clock.now()];
  await insertRestart(db, base, { id, specification: plan.specification, createdAtMs: atMs });
  await mustBeFree(db, base);
  const last = await maybeLastRunIn(db, base.workspaceId);
  return queueAgain(context, db, { id, plan, base, previous: last?.id ?? null, atMs });
}

interface Again {
  /** Id of the run that was just inserted. */
  readonly id: string;
  readonly plan: RestartPlan;
  readonly base: Run;
  /** Id of the last run in the workspace of `base`. */
  readonly previous: string | null;
  readonly atMs: number;
}

/** Queues the new run after an ended run, in the transaction of its insertion. */
export async function queueAgain(
  context: Pick<RestartContext, "random" | "capabilities" | "runSettings">,
  db: Connection,
  { id, plan, base, previous, atMs }: Again,
): Promise<Run> {
  const { specification, parameters, options, fresh, fromStep } = plan;
  await keepRetentionRules(context, db, id, specification);
  await moveRun(db, { runId: id, to: "queued", by: "user", atMs });
  await setStartOptions(db, id, parameters, options, {
    kept: keptSettings(context.runSettings, plan),
    specification,
    model: plan.model,
  });
  await setRestart(db, id, { previous, fresh, fromStep });
  const body = { parameters, options, restart_of: base.id, fresh, from_step: fromStep };
  const log = startLog(context, specification, atMs);
  await insertRunEvent(db, id, { seq: FIRST_EVENT, kind: START, body, log, atMs });
  await notify(db, { kind: "run-queued" });
  return oneRun(db, id);
}

/** Refusal in REANA's wording. */
function beingPruned(): Refusal {
  return new Refusal(
    "conflict",
    "The workflow cannot be restarted because some retention rules are currently being applied to the workspace. " +
      "Please retry later.",
  );
}

/** Refuses unless the workspace is free: only one run at a time may use a workspace. */
export async function mustBeFree(db: Connection, base: Run, verb: AgainVerb = "restarted"): Promise<void> {
  await lockWorkspace(db, base.workspaceId);
  if (await isBeingPruned(db, base.workspaceId)) throw beingPruned();
  const live = await maybeLiveRunIn(db, base.workspaceId);
  if (!live) return;
  throw new Refusal(
    "conflict",
    `Workflow ${fullNameOf(base)} could not be ${verb} because ${fullNameOf(live)}, which shares its workspace, is ` +
      `${live.status}. Wait for its end, or stop it first.`,
    { errorCode: "workspace-busy" },
  );
}
