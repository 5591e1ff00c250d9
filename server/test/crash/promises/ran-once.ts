import { groupBy, type Row, type Rows } from "./rows.ts";

/** P2: each job ran at most once, and each that has an exit status of its own exactly once. */
export function wrongTimesRun(rows: Rows, ran: readonly string[]): string[] {
  const lines = groupBy(ran, (line) => line.split(" ")[0]!);
  const jobs = new Map(rows.jobs.map((job) => [job.id, job]));
  return [
    ...[...lines].flatMap(([id, told]) => wrongLines(jobs.get(id), id, told.length)),
    ...rows.jobs.flatMap((job) => wrongJob(job, lines.get(job.id)?.length ?? 0)),
  ];
}

function wrongLines(job: Row<"jobs"> | undefined, id: string, times: number): string[] {
  if (!job) return [`P2: the job ${id} ran and is not recorded.`];
  return times > 1 ? [`P2: the job ${job.key} of ${job.run_id} ran ${times} times.`] : [];
}

/** Whether a job damages its own record: losing such a job is right. */
function damages({ command }: Row<"jobs">): boolean {
  return command.includes("mkfifo record");
}

function wrongJob(job: Row<"jobs">, times: number): string[] {
  const told = `the job ${job.key} of ${job.run_id}`;
  if (job.status === "running" || job.status === "created") return [`P3: ${told} is still ${job.status}.`];
  if (job.reason === "lost") return damages(job) && times > 0 ? [] : [`P2: ${told} was lost.`];
  if (job.reason === "not-started" && times > 0) return [`P2: ${told} ran, although it was not started.`];
  return job.reason === "exited" && times === 0 ? [`P2: ${told} has ended, and never ran.`] : [];
}
