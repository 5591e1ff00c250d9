import { warningsOf } from "#engines/documents";
import { keptSettings } from "#operations/runs/run-settings";
import type { Caller } from "#operations/context";
import type { RunServices } from "#operations/runs/services";
import { refuseWhenFull } from "#operations/service/disk-shortage";
import { findRun } from "#operations/find-run";
import { fullNameOf } from "#operations/full-name";
import { changing, type Keyed } from "#operations/idempotency";
import { statusConflict } from "#operations/runs/status-conflict";
import { maybeModel } from "#operations/runs/checks/collect-documents";
import { checkStart } from "#operations/runs/checks/start-checks";
import { startLog } from "#operations/runs/start/start-log";
import { crashPoint } from "#plumbing/crash-points";
import type { Connection } from "#store/database/database";
import { insertRunEvent } from "#store/events/run-events";
import { notify } from "#store/database/wake-ups";
import { moveRun } from "#store/runs/move-run";
import { oneDefinition, oneRun, setStartOptions, type Run } from "#store/runs/runs";
import { addShadow } from "#store/shadows/shadows";
import { START } from "#workflow/run/event-kinds";
import type { Specification } from "#workflow/specification/specification";

export interface StartInput {
  /** UUID or name. */
  readonly address: string;
  /** Values overriding the specification's own parameters. The specification must declare all of them. */
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly options: Readonly<Record<string, unknown>>;
  /** True if no jobs of earlier runs are taken over. */
  readonly fresh?: boolean;
}

export interface StartedRun extends Run {
  /** Sentences about the documents of a start, or about what a restart may spoil. */
  readonly warning?: string;
}

type StartContext = Pick<
  RunServices,
  "db" | "clock" | "engines" | "capabilities" | "disk" | "workspaces" | "documents" | "quotas" | "runSettings"
> &
  Keyed;

/** Number of the first event in a run's history. */
export const FIRST_EVENT = 0;

/**
 * Queues a run that was created. Once this returns, the start is in the database, and announced to all servers.
 */
export async function startRun(
  context: StartContext,
  caller: Caller,
  input: StartInput,
): Promise<StartedRun> {
  const start = await checkedStart(context, caller, input);
  const run = await recordStart(context, (db) => queueStart(context, db, start));
  const warnings = warningsOf(start.model);
  return { ...run, ...(warnings.length > 0 && { warning: warnings.join(" ") }) };
}

/** A checked start. Succeeds unless the run changes before the start is recorded. */
interface CheckedStart {
  readonly run: Run;
  readonly specification: Specification;
  readonly input: StartInput;
  readonly model: unknown;
}

export async function checkedStart(
  context: StartContext,
  caller: Caller,
  input: StartInput,
): Promise<CheckedStart> {
  const run = await findRun(context, caller, input.address, "change");
  if (run.status !== "created") throw statusConflict("started", fullNameOf(run), run.status);
  const { specification } = await oneDefinition(context.db, run.id);
  const { parameters, options } = input;
  const start = { name: fullNameOf(run), verb: "started", ownerId: run.ownerId } as const;
  await checkStart(context, { specification, parameters, options, ...start });
  await refuseWhenFull(context.disk);
  await context.quotas.refuseUsedUp(run.ownerId);
  const model = await maybeModel(context, start, { specification, parameters, options }, run.workspaceId);
  return { run, specification, input, model };
}

/** Runs the transaction of a start. */
export async function recordStart<Result>(
  context: StartContext,
  work: (db: Connection) => Promise<Result>,
): Promise<Result> {
  const result = await changing(context, work);
  crashPoint("start-recorded");
  return result;
}

export async function queueStart(
  context: StartContext,
  db: Connection,
  { run, specification, input, model }: CheckedStart,
): Promise<Run> {
  const { parameters, options } = input;
  const atMs = context.clock.now();
  const log = startLog(context, specification, atMs);
  if (!(await moveRun(db, { runId: run.id, to: "queued", by: "user", atMs }))) {
    const present = await oneRun(db, run.id);
    throw statusConflict("started", fullNameOf(run), present.status);
  }
  await setStartOptions(db, run.id, parameters, options, {
    kept: keptSettings(context.runSettings, input),
    specification,
    model,
  });
  if (context.runSettings.shadowHost !== undefined)
    await addShadow(db, { runId: run.id, ownerId: run.ownerId }, atMs);
  const body = { parameters, options };
  await insertRunEvent(db, run.id, { seq: FIRST_EVENT, kind: START, body, log, atMs });
  await notify(db, { kind: "run-queued" });
  await notify(db, { kind: "run-changed", runId: run.id });
  return oneRun(db, run.id);
}
