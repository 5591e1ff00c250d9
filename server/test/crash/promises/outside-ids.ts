import type { Rows } from "./rows.ts";

/** Returns the cluster's name for a job, as the backends of these tests make it. */
export function outsideIdOf(id: string): string {
  return `outside-${id}`;
}

/** Checks that a server has recorded the outside name of every executed job, if the backend names jobs. */
export function lostOutsideIds({ jobs }: Rows): string[] {
  if (jobs.every((job) => job.outside_id === null)) return [];
  return jobs
    .filter((job) => job.reason === "exited" && job.taken_from === null)
    .filter((job) => job.outside_id !== outsideIdOf(job.id))
    .map((job) => `Job ${job.key} of ${job.run_id} is recorded under the outside id ${job.outside_id}.`);
}
