import type { RunServices } from "#operations/runs/services";
import { engineInput } from "#runner/engine/engine-input";
import { maybeIssuedJob } from "#runner/loop/replay";
import type { JobRecord } from "#store/jobs/jobs";
import type { Run } from "#store/runs/runs";
import type { Job } from "#workflow/job/job";

type ReplayContext = Pick<RunServices, "db" | "engines" | "workspaces">;

/** An issued job, with the folder of the workspace for which its command was made. */
export interface IssuedJob {
  readonly job: Job;
  readonly workspaceFolder: string;
}

/**
 * Returns all that a job of an ended run was made of, such as its arguments and the files put in place for it. The
 * engine makes the job again from the recorded events. Undefined if the engine would not.
 */
export async function maybeIssued(
  { db, engines, workspaces }: ReplayContext,
  run: Run,
  { key }: JobRecord,
  signal: AbortSignal,
): Promise<IssuedJob | undefined> {
  const runtime = engines.get(run.language)?.runtime;
  if (!runtime) return undefined;
  const input = await engineInput({ db, workspaces }, run);
  const session = await runtime.open(input, { ownerId: run.ownerId, signal });
  try {
    const job = await maybeIssuedJob(db, run.id, key, session);
    return job && { job, workspaceFolder: input.run.workspaceFolder };
  } finally {
    await session.close();
  }
}
