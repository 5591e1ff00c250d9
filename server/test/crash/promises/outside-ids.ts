import type { Rows } from "./rows.ts";

/** The name outside that the backends of these tests give to a job. */
export function outsideIdOf(id: string): string {
  return `outside-${id}`;
}

/** Checks that a server whose backend names its jobs has recorded the name of each that ran. */
export function lostOutsideIds({ jobs }: Rows): string[] {
  if (jobs.every((job) => job.outside_id === null)) return [];
  return jobs
    .filter((job) => job.reason === "exited" && job.taken_from === null)
    .filter((job) => job.outside_id !== outsideIdOf(job.id))
    .map((job) => `Job ${job.key} of ${job.run_id} is recorded under the outside id ${job.outside_id}.`);
}
