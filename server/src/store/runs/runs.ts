import { type Selectable, sql } from "kysely";
import type { Connection } from "#store/database/database";
import { fixedQuery } from "#store/database/fixed-query";
import type { Tables } from "#store/database/tables";
import { countCreated } from "#store/runs/run-counts";
import type { Language } from "#workflow/language";
import { listedParameters } from "#workflow/run/listed-parameters";
import type { KeptSettings } from "#workflow/run/kept-settings";
import type { RunStatus } from "#workflow/run/run-status";
import type { Specification } from "#workflow/specification/specification";

/** A run of a workflow: `name.runMajor[.runMinor]`. REANA's term is "workflow". */
export interface Run {
  readonly seq: number;
  readonly id: string;
  readonly ownerId: string;
  readonly workspaceId: string;
  readonly name: string;
  readonly runMajor: number;
  readonly runMinor: number;
  readonly status: RunStatus;
  readonly language: Language;
  readonly launcherUrl: string | null;
  /** DOI under which the run is published, or reserved for it. */
  readonly doi: string | null;
  readonly jobsTotal: number;
  readonly jobsRunning: number;
  readonly jobsFinished: number;
  readonly jobsFailed: number;
  readonly failure: string | null;
  /** Key of the job that caused the failure. */
  readonly failedJob: string | null;
  readonly cpuMs: number;
  readonly createdAtMs: number;
  readonly queuedAtMs: number | null;
  readonly startedAtMs: number | null;
  readonly finishedAtMs: number | null;
  readonly stoppedAtMs: number | null;
  readonly stopRequestedAtMs: number | null;
  /** Host driving the run. */
  readonly heldBy: string | null;
  /** Reason for waiting, if not evident from other fields. */
  readonly waitingFor: string | null;
}

/** The user's request. Read separately from the run, because it may be large and lists do not need it. */
export interface RunDefinition {
  readonly specification: Specification;
  readonly inputParameters: Readonly<Record<string, unknown>>;
  readonly operationalOptions: Readonly<Record<string, unknown>>;
  readonly restart: RestartRequest | null;
  readonly kept: KeptSettings;
  /** Model that the engine made of the workflow's documents when the run was started. */
  readonly model?: unknown;
}

/** The options of a restart. */
export interface RestartRequest {
  /** The last run that started in the workspace, if any. */
  readonly previous: string | null;
  readonly fresh: boolean;
  readonly fromStep: string | null;
}

export interface NewRun {
  readonly id: string;
  readonly ownerId: string;
  readonly workspaceId: string;
  readonly name: string;
  readonly language: Language;
  readonly specification: Specification;
  readonly launcherUrl: string | null;
  readonly createdAtMs: number;
}

export const RUN_COLUMNS = [
  "seq",
  "id",
  "owner_id",
  "workspace_id",
  "name",
  "run_major",
  "run_minor",
  "status",
  "language",
  "launcher_url",
  "doi",
  "jobs_total",
  "jobs_running",
  "jobs_finished",
  "jobs_failed",
  "failure",
  "failed_job",
  "cpu_ms",
  "created_at",
  "queued_at",
  "started_at",
  "finished_at",
  "stopped_at",
  "stop_requested_at",
  "held_by",
  "waiting_for",
] as const satisfies readonly (keyof Tables["runs"])[];

type RunRow = Pick<Selectable<Tables["runs"]>, (typeof RUN_COLUMNS)[number]>;

/**
 * Inserts a run with a workspace and the next run number for its name. Deleted runs count, so a number is
 * never used twice. Must run inside a transaction. The owner's total is updated first: concurrent writers
 * wait for each other at that row and see all numbers already taken.
 */
export async function insertRun(db: Connection, run: NewRun): Promise<{ runMajor: number }> {
  await countCreated(db, run.ownerId);
  const highest = (await highestRun(db, run)).rows[0];
  const runMajor = (highest?.run_major ?? 0) + 1;
  await insertWorkspace(db, run);
  await insertNumberedRun(db, { ...run, runMajor, runMinor: 0 });
  return { runMajor };
}

type NumberedRun = NewRun & Pick<Run, "runMajor" | "runMinor">;

/** Inserts the rows of a run with an assigned number and an existing workspace. */
export async function insertNumberedRun(db: Connection, run: NumberedRun): Promise<void> {
  const { rows } = await insertRow(db, run);
  await insertDefinition(db, {
    seq: rows[0]!.seq,
    listed: listedParameters(run.specification),
    specification: JSON.stringify(run.specification),
  });
}

const highestRun = fixedQuery((db, { ownerId, name }: NewRun) =>
  db
    .selectFrom("runs")
    .select("run_major")
    .where("owner_id", "=", ownerId)
    .where("name", "=", name)
    .orderBy("run_major", "desc")
    .limit(1),
);

const insertWorkspace = fixedQuery((db, { workspaceId, ownerId, createdAtMs }: NewRun) =>
  db
    .insertInto("workspaces")
    .values({ id: workspaceId, owner_id: ownerId, created_at: createdAtMs })
    // The workspace may have been reserved.
    .onConflict((conflict) => conflict.column("id").doNothing()),
);

const insertRow = fixedQuery((db, run: NumberedRun) =>
  db
    .insertInto("runs")
    .values({
      id: run.id,
      owner_id: run.ownerId,
      workspace_id: run.workspaceId,
      name: run.name,
      run_major: run.runMajor,
      run_minor: run.runMinor,
      status: "created",
      language: run.language,
      launcher_url: run.launcherUrl,
      jobs_total: 0,
      jobs_running: 0,
      jobs_finished: 0,
      jobs_failed: 0,
      created_at: run.createdAtMs,
    })
    .returning("seq"),
);

interface NewDefinition {
  readonly seq: number;
  readonly listed: string;
  readonly specification: string;
}

const insertDefinition = fixedQuery((db, { seq, listed, specification }: NewDefinition) =>
  db.insertInto("run_definitions").values({
    run_seq: seq,
    listed_parameters: listed,
    specification,
    input_parameters: "{}",
    operational_options: "{}",
  }),
);

const runById = fixedQuery((db, { id }: { id: string }) =>
  db.selectFrom("runs").select(RUN_COLUMNS).where("id", "=", id),
);

export async function maybeRun(db: Connection, id: string): Promise<Run | undefined> {
  const { rows } = await runById(db, { id });
  return rows[0] && toRun(rows[0]);
}

export async function oneRun(db: Connection, id: string): Promise<Run> {
  const run = await maybeRun(db, id);
  if (!run) throw new Error(`There is no run ${id} in the database.`);
  return run;
}

export async function ownersOfRuns(
  db: Connection,
  ids: readonly string[],
): Promise<ReadonlyMap<string, Pick<Run, "seq" | "ownerId">>> {
  if (ids.length === 0) return new Map();
  const rows = await db
    .selectFrom("runs")
    .select(["id", "seq", "owner_id"])
    .where("id", "in", [...ids])
    .execute();
  return new Map(rows.map((row) => [row.id, { seq: row.seq, ownerId: row.owner_id }]));
}

/** Returns all runs with the given name, including deleted runs, newest first. */
export async function runsOfName(db: Connection, ownerId: string, name: string): Promise<Run[]> {
  const rows = await newestOfName(db, ownerId, name).execute();
  return rows.map(toRun);
}

/**
 * Returns the run with the given number, or the newest run with the given name, preferring runs not deleted.
 */
export async function maybeRunByName(
  db: Connection,
  ownerId: string,
  name: string,
  run?: { readonly major: number; readonly minor: number },
): Promise<Run | undefined> {
  const newest = newestOfName(db, ownerId, name).limit(1);
  const row = run
    ? await newest.where("run_major", "=", run.major).where("run_minor", "=", run.minor).executeTakeFirst()
    : ((await newest.where("status", "!=", "deleted").executeTakeFirst()) ??
      (await newest.executeTakeFirst()));
  return row && toRun(row);
}

function newestOfName(db: Connection, ownerId: string, name: string) {
  return db
    .selectFrom("runs")
    .select(RUN_COLUMNS)
    .where("owner_id", "=", ownerId)
    .where("name", "=", name)
    .orderBy("run_major", "desc")
    .orderBy("run_minor", "desc");
}

export async function oneDefinition(db: Connection, id: string): Promise<RunDefinition> {
  const row = (await definitionOf(db, { id })).rows[0];
  if (!row) throw new Error(`There is no definition of the run ${id} in the database.`);
  return {
    specification: JSON.parse(row.specification) as Specification,
    inputParameters: JSON.parse(row.input_parameters) as Record<string, unknown>,
    operationalOptions: JSON.parse(row.operational_options) as Record<string, unknown>,
    restart: row.restart === null ? null : (JSON.parse(row.restart) as RestartRequest),
    kept: row.kept_settings === null ? {} : (JSON.parse(row.kept_settings) as KeptSettings),
    ...(row.model !== null && { model: JSON.parse(row.model) as unknown }),
  };
}

const definitionOf = fixedQuery((db, { id }: { id: string }) =>
  db
    .selectFrom("run_definitions")
    .innerJoin("runs", "runs.seq", "run_definitions.run_seq")
    .select(["specification", "input_parameters", "operational_options", "restart", "kept_settings", "model"])
    .where("runs.id", "=", id),
);

/** Stores the options of a start. Call it before the status changes, in the same transaction. */
export async function setStartOptions(
  db: Connection,
  id: string,
  inputParameters: Readonly<Record<string, unknown>>,
  operationalOptions: Readonly<Record<string, unknown>>,
  { kept = {}, model, specification }: KeptOptions = {},
): Promise<void> {
  await putStartOptions(db, {
    id,
    listed: specification ? listedParameters(specification, inputParameters) : null,
    inputParameters: JSON.stringify(inputParameters),
    operationalOptions: JSON.stringify(operationalOptions),
    kept: JSON.stringify(kept),
    model: model === undefined ? null : JSON.stringify(model),
  });
}

/** Facts kept by a run from the start. */
interface KeptOptions {
  /** Declared parameters. If absent, the list of the run's parameters stays as it is. */
  readonly specification?: Specification;
  readonly kept?: KeptSettings;
  readonly model?: unknown;
}

interface StartOptions {
  readonly id: string;
  readonly listed: string | null;
  readonly inputParameters: string;
  readonly operationalOptions: string;
  readonly kept: string;
  readonly model: string | null;
}

const putStartOptions = fixedQuery(
  (db, { id, listed, inputParameters, operationalOptions, kept, model }: StartOptions) =>
    db
      .updateTable("run_definitions")
      .set({
        listed_parameters: sql<string>`coalesce(${listed}, listed_parameters)`,
        input_parameters: inputParameters,
        operational_options: operationalOptions,
        kept_settings: kept,
        model,
      })
      .where("run_seq", "=", (query) => query.selectFrom("runs").select("seq").where("id", "=", id)),
);

/** Records the time of the first stop request only. */
export async function requestStop(db: Connection, id: string, atMs: number): Promise<void> {
  await db
    .updateTable("runs")
    .set({ stop_requested_at: atMs })
    .where("id", "=", id)
    .where("stop_requested_at", "is", null)
    .execute();
}

/** `job` is the key of the job that caused the failure, if any. */
export async function setFailure(db: Connection, id: string, sentence: string, job?: string): Promise<void> {
  const columns = { failure: sentence, failed_job: job ?? null };
  await db.updateTable("runs").set(columns).where("id", "=", id).execute();
}

export function toRun(row: RunRow): Run {
  return {
    seq: row.seq,
    id: row.id,
    ownerId: row.owner_id,
    workspaceId: row.workspace_id,
    name: row.name,
    runMajor: row.run_major,
    runMinor: row.run_minor,
    status: row.status,
    language: row.language,
    launcherUrl: row.launcher_url,
    doi: row.doi,
    jobsTotal: row.jobs_total,
    jobsRunning: row.jobs_running,
    jobsFinished: row.jobs_finished,
    jobsFailed: row.jobs_failed,
    failure: row.failure,
    failedJob: row.failed_job,
    cpuMs: row.cpu_ms,
    createdAtMs: row.created_at,
    queuedAtMs: row.queued_at,
    startedAtMs: row.started_at,
    finishedAtMs: row.finished_at,
    stoppedAtMs: row.stopped_at,
    stopRequestedAtMs: row.stop_requested_at,
    heldBy: row.held_by,
    waitingFor: row.waiting_for,
  };
}
