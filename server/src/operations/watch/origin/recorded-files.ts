import type { Stamped } from "#engines/engine";
import { type SerialJob, serialWriters } from "#operations/watch/origin/serial-writers";
import { snakemakeFiles } from "#operations/watch/origin/snakemake-files";
import { bodyOf } from "#runner/files/job-contents-body";
import type { Connection } from "#store/database/database";
import { maybeFirstEventOf } from "#store/events/run-events";
import { contentsOfJobs } from "#store/jobs/job-contents";
import { jobStampsOf } from "#store/jobs/job-stamps";
import { type JobRecord, pageOfJobs } from "#store/jobs/jobs";
import { hasExternalChange } from "#store/runs/restarts";
import { maybeRunOutputs } from "#store/runs/run-outputs";
import { resultsOfRuns } from "#store/runs/run-results";
import type { Run } from "#store/runs/runs";
import { UNSURE_STAMP } from "#workflow/job/file-stamps";
import type { IndexedFile } from "#workflow/run/indexed-file";
import { isObject } from "#workflow/specification/shape";
import { bytesOfStamp, changedMsOfStamp } from "#workspace/read/stamps";

/** The files of an ended run by its records alone: no file is read. */
export async function recordedFiles(db: Connection, run: Run): Promise<IndexedFile[]> {
  const outputs = await recordedOutputs(db, run);
  if (run.language === "serial") return [...outputs, ...(await serialFiles(db, run, outputs))];
  const own =
    run.language === "snakemake" ? await snakemakeFiles(db, run, FILES_MAX) : await filesOfJobs(db, run);
  return [...outputs, ...own];
}

/** Returns the declared outputs of an ended run, and the files that its output object names. */
export async function recordedOutputs(db: Connection, run: Run): Promise<IndexedFile[]> {
  const results = (await resultsOfRuns(db, [run.id])).get(run.id);
  const outputs = (results?.files ?? []).map(({ path, bytes, sha256, stamp }): IndexedFile => {
    return { ...declared("output", path), bytes, sha256, stamp };
  });
  if (run.language === "serial") return outputs;
  const recorded = new Set(outputs.map(({ path }) => path));
  const named = filesNamedIn(await maybeRunOutputs(db, run.id));
  return [...outputs, ...named.filter(({ path }) => !recorded.has(path))];
}

function declared(role: "input" | "output", path: string): IndexedFile {
  return { path, bytes: null, sha256: null, stamp: null, role, jobId: null, doubt: null };
}

/** Returns the files that the output object of a CWL run names, at any depth. */
function filesNamedIn(value: unknown): IndexedFile[] {
  if (Array.isArray(value)) return value.flatMap(filesNamedIn);
  if (!isObject(value)) return [];
  const isFile = value["class"] === "File" && typeof value["location"] === "string";
  const own = isFile ? [declared("output", value["location"] as string)] : [];
  return [...own, ...Object.values(value).flatMap(filesNamedIn)];
}

const CHANGED_FROM_OUTSIDE =
  "A user changed files of the workspace during the run, so the file may not be the work of a step.";
const NEAR_START =
  "The file changed in the moment in which the run started: it may have been there before the first step.";
const NOT_LOOKED_AT =
  "The workspace was not looked at after the steps: any of them may have written the file.";
/** The kernel's clock for the times of files is behind the clock of the server by at most two of its steps. */
const CLOCK_STEP_MS = 20;
/** Limit on the steps that are named for a file if none was observed. */
const UNOBSERVED_MAX = 5;

/** Returns the inputs that were recorded at the start of a run. Only serial runs record them. */
export async function recordedInputs(db: Connection, run: Run): Promise<IndexedFile[]> {
  const event = await maybeFirstEventOf(db, run.id, "stamped" satisfies Stamped["kind"]);
  const { inputs } = (event?.body ?? {}) as Partial<Stamped>;
  return (inputs ?? []).map(({ path, stamp, sha256 }): IndexedFile => {
    return { ...declared("input", path), bytes: bytesOfStamp(stamp) ?? null, sha256, stamp };
  });
}

/** Returns the inputs of a serial run at its start, and the files written by its jobs. */
export async function serialFiles(
  db: Connection,
  run: Run,
  outputs: readonly IndexedFile[],
): Promise<IndexedFile[]> {
  const event = await maybeFirstEventOf(db, run.id, "stamped" satisfies Stamped["kind"]);
  const { inputs, stamps: atStart } = (event?.body ?? {}) as Partial<Stamped>;
  const stamps = await jobStampsOf(db, run.id);
  const seen: SerialJob[] = [];
  for await (const jobs of pagesOfJobs(db, run.id))
    for (const job of jobs)
      seen.push({ id: job.id, label: job.label, hasRun: hasRun(job), stamps: stamps.get(job.id) ?? null });
  const before = (inputs ?? []).map(({ path, stamp }) => [path, stamp] as const);
  const startedAtMs = run.startedAtMs ?? 0;
  const writers = serialWriters(
    seen,
    new Map([...Object.entries(atStart ?? {}), ...before]),
    (stamp) => (changedMsOfStamp(stamp) ?? Infinity) < startedAtMs - CLOCK_STEP_MS,
  );
  const outside = (await hasExternalChange(db, run.id)) ? CHANGED_FROM_OUTSIDE : null;
  const given = await recordedInputs(db, run);
  const written = [...writers].flatMap(([path, { jobIds, stamp, doubt }]) =>
    jobIds.map((jobId): IndexedFile => {
      const bytes = bytesOfStamp(stamp) ?? null;
      const near = (changedMsOfStamp(stamp) ?? Infinity) < startedAtMs ? NEAR_START : null;
      return { path, bytes, sha256: null, stamp, role: "written", jobId, doubt: doubt ?? outside ?? near };
    }),
  );
  const unexplained = stamps.size > 0 ? [] : outputs.filter((one) => !isSameAsInput(one, given));
  const ran = seen.filter((job) => job.hasRun);
  const perhaps = ran.slice(-UNOBSERVED_MAX).toReversed();
  const guessed = unexplained.flatMap((output) =>
    perhaps.map((job): IndexedFile => {
      const doubt = ran.length > 1 ? NOT_LOOKED_AT : outside;
      return { ...output, role: "written", jobId: job.id, doubt };
    }),
  );
  return [...given, ...written, ...guessed];
}

function isSameAsInput({ path, sha256 }: IndexedFile, inputs: readonly IndexedFile[]): boolean {
  return inputs.some((input) => input.path === path && input.sha256 !== null && input.sha256 === sha256);
}

function hasRun({ takenFrom, reason, startedAtMs }: JobRecord): boolean {
  return takenFrom === null && reason !== "not-started" && startedAtMs !== null;
}

/** Number of jobs whose contents are read together. */
const JOBS_AT_ONCE = 50;

/** Returns the files of jobs whose engine declares them, as far as the contents of the jobs were recorded. */
async function filesOfJobs(db: Connection, run: Run): Promise<IndexedFile[]> {
  const files: IndexedFile[] = [];
  for await (const jobs of pagesOfJobs(db, run.id)) {
    for (const job of await recordedJobs(db, run, jobs)) files.push(...job.files);
    if (files.length > FILES_MAX) break;
  }
  return files;
}

async function* pagesOfJobs(db: Connection, runId: string): AsyncGenerator<readonly JobRecord[]> {
  for (let offset = 0; ; offset += JOBS_AT_ONCE) {
    const jobs = await pageOfJobs(db, { runId, offset, limit: JOBS_AT_ONCE });
    if (jobs.length > 0) yield jobs;
    if (jobs.length < JOBS_AT_ONCE) return;
  }
}

/** The declaration of the engine for a job that ran. */
export interface RecordedJob {
  readonly jobId: string;
  readonly files: readonly IndexedFile[];
  readonly environment: Readonly<Record<string, string>>;
}

/** Returns the records of the jobs, except of jobs taken over from another run. */
export async function recordedJobs(
  db: Connection,
  { workspaceId }: Pick<Run, "workspaceId">,
  jobs: readonly JobRecord[],
): Promise<RecordedJob[]> {
  const ids = jobs.filter(hasRun).map(({ id }) => id);
  return (await contentsOfJobs(db, workspaceId, ids)).map(recordedJob);
}

/** Limit on the files of one run in the index. */
export const FILES_MAX = 20_000;

function recordedJob(row: { readonly jobId: string; readonly body: string }): RecordedJob {
  const { contents, inputStamps, stamps } = bodyOf(row);
  const { jobId } = row;
  // A path without a stamp is a folder, whose digest is not the digest of a file.
  const inputs = Object.values(contents.inputs).filter(({ path }) => Object.hasOwn(inputStamps, path));
  const unique = new Map(inputs.map((input) => [input.path, input]));
  const read = [...unique.values()].map(({ path, sha256 }): IndexedFile => {
    const stamp = inputStamps[path]!;
    return { path, bytes: bytesOfStamp(stamp) ?? null, sha256, stamp, role: "read", jobId, doubt: null };
  });
  const written = Object.entries(stamps)
    .filter(([, stamp]) => stamp !== UNSURE_STAMP)
    .map(([path, stamp]): IndexedFile => {
      const bytes = bytesOfStamp(stamp) ?? null;
      return { path, bytes, sha256: null, stamp, role: "written", jobId, doubt: null };
    });
  return { jobId, files: [...read, ...written], environment: contents.environment };
}
