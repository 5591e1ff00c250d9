import type { EngineInput, EngineRun, PreviousJob, PreviousRun, Restart, Stamped } from "#engines/engine";
import type { OutstandingLimit } from "#engines/outstanding";
import type { Connection } from "#store/database/database";
import { jobStampsOf } from "#store/jobs/job-stamps";
import { jobsOfRun } from "#store/jobs/jobs";
import { hasExternalChange } from "#store/runs/restarts";
import { maybeFirstEventOf } from "#store/events/run-events";
import { maybeRerun } from "#store/runs/reruns";
import { maybeRun, oneDefinition, type RestartRequest, type Run, type RunDefinition } from "#store/runs/runs";
import { OUTSTANDING_DEFAULT } from "#workflow/job/outstanding";
import { REMOVED_FILES } from "#workflow/run/event-kinds";
import { keepsOutputsOnly } from "#workflow/run/kept-files";
import { fullName, runNumber } from "#workflow/run/run-name";
import type { FileStamps } from "#workflow/job/file-stamps";
import type { WorkspaceFolders } from "#workspace/workspaces";

/** The body of the event that records the removal of intermediate files. */
export interface RemovedFiles {
  readonly files: number;
  readonly bytes: number;
  /** Paths of the first files. */
  readonly paths: readonly string[];
}

interface InputContext {
  readonly db: Connection;
  readonly workspaces: WorkspaceFolders;
}

/**
 * Returns the input of an engine. For a restart, the input includes the evidence of the workspace's last run.
 */
export async function engineInput({ db, workspaces }: InputContext, run: Run): Promise<EngineInput> {
  const {
    specification,
    inputParameters: parameters,
    operationalOptions: options,
    restart,
    kept: { mostOutstanding = OUTSTANDING_DEFAULT, ...kept },
    model,
  } = await oneDefinition(db, run.id);
  const input = {
    specification,
    parameters,
    options,
    ...kept,
    ...(model !== undefined && { model }),
    run: { ...engineRun(run, workspaces.of(run.workspaceId).folder), mostOutstanding },
  };
  if (!restart) return input;
  const rerun = await maybeRerun(db, run.id);
  if (!rerun) return { ...input, restart: await restartOf(db, restart) };
  const { fresh, fromStep } = restart;
  return { ...input, restart: { fresh, fromStep, previous: rerun.previous as PreviousRun | null } };
}

/** Returns the engine's view of a run. */
export function engineRun(
  { id, name, runMajor, runMinor }: Run,
  workspaceFolder: string,
): Omit<EngineRun, keyof OutstandingLimit> {
  return {
    id,
    name: fullName(name, runMajor, runMinor),
    number: runNumber(runMajor, runMinor),
    workspaceFolder,
  };
}

export async function restartOf(db: Connection, request: RestartRequest): Promise<Restart> {
  const { fresh, fromStep } = request;
  const previous = request.previous === null ? null : await previousRun(db, request.previous);
  return { fresh, fromStep, previous };
}

/** Reads an ended run, whose rows no longer change. */
async function previousRun(db: Connection, id: string): Promise<PreviousRun | null> {
  const run = await maybeRun(db, id);
  if (!run) return null;
  const definition = await oneDefinition(db, id);
  return {
    name: fullName(run.name, run.runMajor, run.runMinor),
    specification: definition.specification,
    parameters: definition.inputParameters,
    options: definition.operationalOptions,
    hasExternalChange: await hasExternalChange(db, id),
    ...(await stampsAtStart(db, id)),
    ...(await removedFiles(db, id, definition)),
    jobs: await previousJobs(db, id),
  };
}

async function stampsAtStart(db: Connection, id: string): Promise<Pick<PreviousRun, "inputs" | "stamps">> {
  const event = await maybeFirstEventOf(db, id, "stamped" satisfies Stamped["kind"]);
  const { inputs = null, stamps = null } = (event?.body ?? {}) as Partial<Stamped>;
  return { inputs, stamps };
}

async function removedFiles(
  db: Connection,
  id: string,
  { specification, operationalOptions: options }: RunDefinition,
): Promise<Pick<PreviousRun, "removed">> {
  if (!keepsOutputsOnly({ specification, options })) return {};
  const event = await maybeFirstEventOf(db, id, REMOVED_FILES);
  const { paths } = (event?.body ?? {}) as Partial<RemovedFiles>;
  return paths ? { removed: paths } : {};
}

async function previousJobs(db: Connection, id: string): Promise<PreviousJob[]> {
  const stamps = await jobStampsOf(db, id);
  // Attempts are in the order of issue: the last attempt counts, with the files from all attempts.
  const attempts = Map.groupBy(await jobsOfRun(db, id), (job) => job.key);
  return [...attempts.values()].map((all) => {
    const last = all.at(-1)!;
    return {
      id: last.takenFrom ?? last.id,
      key: last.key,
      status: last.status,
      reason: last.reason,
      imageDigest: last.imageDigest,
      stamps: together(all.map((job) => stamps.get(job.id) ?? null)),
    };
  });
}

/** Combines the stamps of all attempts. Returns null if there was a gap between two looks at the workspace. */
function together(stamps: readonly (FileStamps | null)[]): FileStamps | null {
  return stamps.reduce((before, next) => {
    if (!before || !next) return next?.isWhole ? next : null;
    if (next.isWhole) return next;
    return { isWhole: before.isWhole, files: { ...before.files, ...next.files } };
  });
}
