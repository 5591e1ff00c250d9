import type { ServerServices } from "#operations/service/services";
import { Refusal } from "#plumbing/errors";
import { isInDoubt } from "#workflow/job/doubt";
import { type JobRecord, maybeJobOfAny } from "#store/jobs/jobs";

/**
 * Declares a job lost whose node does not answer: the administrator knows that the node will not come back. If the job still
 * runs there, its supervisor ends it as soon as the node sees the shared folder again.
 */
export async function declareJobLost(
  { db, lostJobs }: Pick<ServerServices, "db" | "lostJobs">,
  id: string,
): Promise<JobRecord> {
  const job = await maybeJobOfAny(db, id);
  if (!job)
    throw new Refusal(
      "absent",
      `No job has the id ${id.slice(0, 100)}. The page of a run and GET /api/workflows/{run}/jobs show the ids of jobs.`,
    );
  if (job.status !== "running" || !isInDoubt(job)) throw new Refusal("conflict", notSilent(job));
  if (await lostJobs.declare(job)) return job;
  throw new Refusal(
    "conflict",
    `The job ${id} of ${job.backend} cannot be declared lost: its end is recorded already.`,
  );
}

function notSilent({ id, status, concern }: JobRecord): string {
  const why = concern === null ? ", and nothing is wrong with its node" : `: ${concern.replace(/\.$/, "")}`;
  return (
    `The job ${id} is ${status}${why}. Only a running job whose node does not answer can be declared lost. ` +
    "To end a job, stop its run."
  );
}
