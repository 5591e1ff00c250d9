import { fullNameOf } from "#operations/full-name";
import { Refusal } from "#plumbing/errors";
import { printable } from "#plumbing/text/printable";
import type { Connection } from "#store/database/database";
import { type JobRecord, jobsOfRun } from "#store/jobs/jobs";
import type { Run } from "#store/runs/runs";

const NAMED_MAX = 10;
const NAME_LENGTH_MAX = 100;

/** Returns all attempts of the jobs of a step, by its name or the label of one job, in the order of submission. */
export async function jobsOfStep(db: Connection, run: Run, step: string): Promise<JobRecord[]> {
  const jobs = await jobsOfRun(db, run.id);
  const isNamed = (text: string) => text.toLowerCase() === step.toLowerCase();
  const labelled = jobs.filter(({ label }) => isNamed(label));
  const isOneJob = labelled.length > 0 && run.language !== "serial";
  const named = isOneJob ? labelled : jobs.filter(({ name }) => isNamed(name));
  if (named.length > 0) return named;
  const names = [...new Set(jobs.map(({ name }) => name))].filter((name) => name !== "");
  const shown = names.slice(0, NAMED_MAX).map((name) => printable(name, NAME_LENGTH_MAX));
  const more = names.length > shown.length ? " …" : "";
  throw new Refusal(
    "conflict",
    `The step ${printable(step, NAME_LENGTH_MAX)} of ${fullNameOf(run)} cannot be verified, because no job of it ran. ` +
      `The steps with jobs: ${shown.join(", ")}${more}.`,
  );
}

/** Returns the last attempt of each job, which made the files. */
export function lastAttempts(jobs: readonly JobRecord[]): JobRecord[] {
  return [...new Map(jobs.map((job) => [job.key, job])).values()];
}
