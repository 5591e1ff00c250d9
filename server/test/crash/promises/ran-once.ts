import type { Witness } from "../witness.ts";
import { groupBy, type Row, type Rows } from "./rows.ts";

/** P2: each job ran at most once, and each job with an exit status of its own exactly once. */
export function wrongTimesRun(rows: Rows, ran: readonly string[]): string[] {
  const lines = groupBy(ran, (line) => line.split(" ")[0]!);
  const jobs = new Map(rows.jobs.map((job) => [job.id, job]));
  return [
    ...[...lines].flatMap(([id, told]) => wrongLines(jobs.get(id), id, told.length)),
    ...rows.jobs.flatMap((job) => wrongJob(job, lines.get(job.id)?.length ?? 0)),
  ];
}

/** P2: a finished run ran each of its commands exactly once, under any job. */
export function wrongCommands(rows: Rows, witness: Witness, ran: readonly string[]): string[] {
  return witness.runs.flatMap(({ id, leaves }) => {
    if (!leaves || rows.runs.find((row) => row.id === id)?.status !== "finished") return [];
    const own = new Set(rows.jobs.filter((job) => job.run_id === id).map((job) => job.id));
    const lines = ran.filter((line) => own.has(line.split(" ")[0]!));
    if (lines.length === leaves.commands) return [];
    return [`P2: ${id} has ${leaves.commands} commands, and ran ${lines.length}.`];
  });
}

function wrongLines(job: Row<"jobs"> | undefined, id: string, times: number): string[] {
  if (!job) return [`P2: the job ${id} ran and is not recorded.`];
  return times > 1 ? [`P2: the job ${job.key} of ${job.run_id} ran ${times} times.`] : [];
}

/** Returns whether a job damages its own record. Losing such a job is right. */
function damages({ command }: Row<"jobs">): boolean {
  return command.includes("mkfifo record");
}

/** Returns whether a job is Snakemake itself, which writes no line and prints text of its own. */
export function isOfSnakemake(command: string): boolean {
  return /^snakemake --(?:snakefile|report) /.test(command);
}

function wrongJob(job: Row<"jobs">, times: number): string[] {
  const told = `the job ${job.key} of ${job.run_id}`;
  if (job.status === "running" || job.status === "created") return [`P3: ${told} is still ${job.status}.`];
  if (job.reason === "lost") return damages(job) && times > 0 ? [] : [`P2: ${told} was lost.`];
  if (job.reason === "not-started" && times > 0) return [`P2: ${told} ran, although it was not started.`];
  if (isOfSnakemake(job.command)) return [];
  return job.reason === "exited" && times === 0 ? [`P2: ${told} has ended, and never ran.`] : [];
}
