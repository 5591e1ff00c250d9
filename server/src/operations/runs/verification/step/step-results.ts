import type { ComparedRuns, FoundDifference } from "#operations/runs/verification/first-difference";
import { SHOWN_MAX } from "#operations/runs/verification/first-difference";
import type { JudgedOutput } from "#operations/runs/verification/judge-outputs";
import { jobsOfStep, lastAttempts } from "#operations/runs/verification/step/step-jobs";
import { wholePath, type Written, writtenFiles } from "#operations/runs/verification/written-files";
import { runResults } from "#operations/watch/run-results";
import { type JobRecord, jobsOfRun } from "#store/jobs/jobs";
import { oneDefinition, type Run } from "#store/runs/runs";
import type { Results } from "#workflow/run/results";

type StepContext = Parameters<typeof writtenFiles>[0];

/** The files that a step wrote, in a run and in a repetition of the step. */
export interface StepResults {
  readonly results: Results;
  /** Undefined if the repetition has recorded none. */
  readonly repeatedResults: Results | undefined;
  /** Jobs of the step in the run, with the files that each may have written. */
  readonly jobs: readonly { readonly job: JobRecord; readonly files: ReadonlySet<string> }[];
}

/** Returns what a step wrote. A file that a later step wrote as well has no checksum, because its content is lost. */
export async function stepResults(
  context: StepContext,
  { verified, repetition }: Omit<ComparedRuns, "tolerance">,
  step: string,
  signal: AbortSignal,
): Promise<StepResults> {
  const attempts = await jobsOfStep(context.db, verified, step);
  const own = new Set(attempts.map(({ id }) => id));
  const isCompared = await comparedFiles(context, { verified, repetition });
  const before = (await writtenFiles(context, verified, signal)).filter(
    (one) => one.jobIds.some((id) => own.has(id)) && isCompared(wholePath(one)),
  );
  return {
    results: resultsOf(before, ({ jobIds }) => jobIds.every((id) => own.has(id))),
    // A serial step may write other files than before.
    repeatedResults: isInPlace({ verified, repetition })
      ? (await runResults(context.db, repetition)).results
      : resultsOf(await writtenFiles(context, repetition, signal), () => true),
    jobs: lastAttempts(attempts).map((job) => {
      const files = before.filter(({ jobIds }) => jobIds.includes(job.id));
      return { job, files: new Set(files.map(wholePath)) };
    }),
  };
}

/** A repetition in place declares which files are compared: links that were put in place for a job are none. */
async function comparedFiles(
  { db }: StepContext,
  runs: Omit<ComparedRuns, "tolerance">,
): Promise<(path: string) => boolean> {
  if (!isInPlace(runs)) return () => true;
  const { specification } = await oneDefinition(db, runs.repetition.id);
  const declared = new Set(specification.outputs?.files ?? []);
  return (path) => declared.has(path);
}

/** True if the repetition runs jobs of another language, as commands that write the files of the original jobs. */
export function isInPlace({ verified, repetition }: Omit<ComparedRuns, "tolerance">): boolean {
  return verified.language !== repetition.language;
}

function resultsOf(written: readonly Written[], isOwn: (one: Written) => boolean): Results {
  const files = written.map((one) => {
    const { bytes, sha256, stamp } = one.file;
    const path = wholePath(one);
    return isOwn(one)
      ? { path, bytes, sha256, stamp: stamp ?? "" }
      : { path, bytes, sha256: null, stamp: "" };
  });
  return { files, isCut: false };
}

/** Finds the first job of the original run whose files differ. The repetition has a step for each of these jobs. */
export async function stepDifference(
  { db }: StepContext,
  repetition: Run,
  { jobs }: StepResults,
  outputs: readonly JudgedOutput[],
): Promise<FoundDifference | undefined> {
  const different = outputs.filter(({ verdict }) => verdict === "different").map(({ path }) => path);
  const index = jobs.findIndex(({ files }) => different.some((path) => files.has(path)));
  const found = jobs[index];
  if (!found) return undefined;
  const again = lastAttempts(await jobsOfRun(db, repetition.id))[index];
  return {
    jobIds: [found.job.id],
    files: different.filter((path) => found.files.has(path)).slice(0, SHOWN_MAX),
    hasOtherImage: again !== undefined && again.imageDigest !== found.job.imageDigest,
  };
}
