import { piecesOfJobs } from "#operations/reports/all-jobs";
import { recordedJobs, recordedOutputs, serialFiles } from "#operations/watch/origin/recorded-files";
import type { Connection } from "#store/database/database";
import type { JobRecord } from "#store/jobs/jobs";
import type { Run } from "#store/runs/runs";
import type { IndexedFile } from "#workflow/run/indexed-file";

/** A job with its known files and the variables set by its engine. */
export interface JobWithFiles {
  readonly job: JobRecord;
  readonly read: readonly IndexedFile[];
  readonly written: readonly IndexedFile[];
  readonly environment: Readonly<Record<string, string>>;
}

/** Yields the jobs of a run in the order of submission, a piece at a time. */
export async function* jobsWithFiles(db: Connection, run: Run): AsyncGenerator<readonly JobWithFiles[]> {
  const serial = run.language === "serial" ? await serialRun(db, run) : undefined;
  for await (const jobs of piecesOfJobs(db, run.id))
    yield serial ? jobs.map((job) => serialJob(job, serial)) : await declaredJobs(db, run, jobs);
}

async function declaredJobs(db: Connection, run: Run, jobs: readonly JobRecord[]): Promise<JobWithFiles[]> {
  const recorded = new Map((await recordedJobs(db, run, jobs)).map((one) => [one.jobId, one]));
  return jobs.map((job) => {
    const { files = [], environment = {} } = recorded.get(job.id) ?? {};
    const read = files.filter(({ role }) => role === "read");
    return { job, read, written: files.filter(({ role }) => role === "written"), environment };
  });
}

/** Files of a serial run that are certain, found without a look at all of them for each job. */
interface SerialRun {
  readonly writtenBy: ReadonlyMap<string | null, readonly IndexedFile[]>;
  /** Inputs and written files with paths that are one word of a command. */
  readonly words: ReadonlyMap<string, IndexedFile>;
  /** Files with unusual paths, such as `a b.txt`. */
  readonly others: readonly IndexedFile[];
}

const WORD = /[\w./-]+/g;
const ONE_WORD = /^[\w./-]+$/;

async function serialRun(db: Connection, run: Run): Promise<SerialRun> {
  const files = await serialFiles(db, run, await recordedOutputs(db, run));
  const certain = files.filter(({ doubt }) => doubt === null);
  const written = certain.filter(({ role }) => role === "written");
  const known = new Map(
    [...written, ...certain.filter(({ role }) => role === "input")].map((file) => [file.path, file]),
  );
  return {
    writtenBy: Map.groupBy(written, ({ jobId }) => jobId),
    words: new Map([...known].filter(([path]) => ONE_WORD.test(path))),
    others: [...known.values()].filter(({ path }) => !ONE_WORD.test(path)),
  };
}

/**
 * A serial step does not declare its files. It surely wrote a file that no other step may have written, and it is taken to
 * read the files that its command names.
 */
function serialJob(job: JobRecord, { writtenBy, words, others }: SerialRun): JobWithFiles {
  const written = writtenBy.get(job.id) ?? [];
  const own = new Set(written.map(({ path }) => path));
  const named = new Set(job.command.match(WORD)?.map((word) => words.get(word.replace(/^\.\//, ""))));
  for (const file of others) if (job.command.includes(file.path)) named.add(file);
  const read = [...named].filter((file) => file !== undefined && !own.has(file.path)) as IndexedFile[];
  return { job, read, written, environment: {} };
}
