import type { Connection } from "#store/database/database";
import { together } from "#store/database/together";
import {
  type Admission,
  admitJobs,
  endJobs,
  type EndedJobRow,
  type JobNote,
  noteJob,
} from "#store/jobs/job-changes";
import { addCounts } from "#store/jobs/job-counts";
import { insertJobs, insertTakenJob, type NewJob, type TakenJob } from "#store/jobs/new-jobs";

/** Changes to jobs of one run, made together in this order. */
export interface JobChanges {
  readonly ended?: readonly EndedJobRow[];
  readonly taken?: readonly TakenJob[];
  readonly issued?: readonly NewJob[];
  readonly admitted?: readonly Admission[];
  /** Expected number of jobs in the run. Optional: if absent, the number stays unchanged. */
  readonly expected?: number | undefined;
}

/**
 * Changes jobs of one run, and the totals of the run and of its nodes. Returns the ids of the jobs that had not ended
 * before. Call it in a transaction.
 */
export async function changeJobs(
  db: Connection,
  runId: string,
  { ended = [], taken = [], issued = [], admitted = [], expected }: JobChanges,
): Promise<ReadonlySet<string>> {
  const [ends, ...others] = await together([
    endJobs(db, ended),
    ...taken.map((job) => insertTakenJob(db, job)),
    insertJobs(db, issued),
    ...admitted.map((admission) => admitJobs(db, admission)),
  ]);
  await addCounts(db, runId, [ends, ...others], expected);
  return ends.ended;
}

/** Records the reports of backends about jobs of one run. Call it in a transaction. */
export async function noteJobs(
  db: Connection,
  runId: string,
  notes: readonly JobNote[],
  atMs: number,
): Promise<void> {
  const changes = [];
  for (const note of notes) changes.push(await noteJob(db, note, atMs));
  await addCounts(db, runId, changes);
}
