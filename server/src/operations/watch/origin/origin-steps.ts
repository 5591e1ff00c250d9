import type { Basics } from "#operations/context";
import { shownCommand } from "#operations/watch/shown-command";
import { type JobRecord, jobsWithIds } from "#store/jobs/jobs";
import type { Run } from "#store/runs/runs";

/** The job and the run that made a file. */
export interface OriginStep {
  readonly run: Run;
  readonly job: JobRecord;
  /** The command in readable form. */
  readonly shownCommand: string;
}

/** Returns the jobs with these ids of a run, in the order of the ids. */
export async function stepsWithIds(
  { db, workspaces }: Pick<Basics, "db" | "workspaces">,
  run: Run,
  ids: readonly string[],
): Promise<OriginStep[]> {
  const jobs = new Map((await jobsWithIds(db, run.id, ids)).map((job) => [job.id, job]));
  const workspaceFolder = workspaces.of(run.workspaceId).folder;
  return ids.flatMap((id) => {
    const job = jobs.get(id);
    if (!job) return [];
    return [{ run, job, shownCommand: shownCommand(job.command, { workspaceFolder, key: job.key }) }];
  });
}
