import { piecesOfJobs } from "#operations/reports/all-jobs";
import { recordedJobs, recordedOutputs, serialFiles } from "#operations/watch/origin/recorded-files";
import type { Connection } from "#store/database/database";
import type { JobRecord } from "#store/jobs/jobs";
import type { Run } from "#store/runs/runs";
import type { IndexedFile } from "#workflow/run/indexed-file";

/** A job with the files that are known of it, and the variables that its engine set. */
export interface JobWithFiles {
  readonly job: JobRecord;
  readonly read: readonly IndexedFile[];
  readonly written: readonly IndexedFile[];
  readonly environment: Readonly<Record<string, string>>;
}

/** Yields the jobs of a run in the order of submission, a piece at a time. */
export async function* jobsWithFiles(db: Connection, run: Run): AsyncGenerator<readonly JobWithFiles[]> {
  const serial =
    run.language === "serial" ? await serialFiles(db, run, await recordedOutputs(db, run)) : undefined;
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

/**
 * A serial step does not declare its files. It surely wrote a file that no other step may have written, and it is taken to
 * read the files that its command names.
 */
function serialJob(job: JobRecord, files: readonly IndexedFile[]): JobWithFiles {
  const written = files.filter((file) => file.jobId === job.id && file.doubt === null);
  const isWritten = new Set(written.map(({ path }) => path));
  const read = files.filter(
    ({ path, role, doubt }) =>
      (role === "input" || (role === "written" && doubt === null)) &&
      !isWritten.has(path) &&
      isNamedIn(job.command, path),
  );
  return { job, read, written, environment: {} };
}

const PART_OF_PATH = /[\w./-]/;

function isNamedIn(command: string, path: string): boolean {
  for (let at = command.indexOf(path); at !== -1; at = command.indexOf(path, at + 1)) {
    const [before = " ", after = " "] = [command[at - 1], command[at + path.length]];
    if (!/[\w.-]/.test(before) && !PART_OF_PATH.test(after)) return true;
  }
  return false;
}
