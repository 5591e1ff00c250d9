import { groupBy, type Row, type Rows } from "./rows.ts";

/** P8: the running counters equal a recount. */
export function wrongCounters(rows: Rows): string[] {
  const jobs = groupBy(rows.jobs, (job) => job.run_id);
  return [...rows.runs.flatMap((row) => wrongJobCounts(row, jobs.get(row.id) ?? [])), ...wrongTotals(rows)];
}

function wrongJobCounts(row: Row<"runs">, jobs: readonly Row<"jobs">[]): string[] {
  const recount = (status: string) => jobs.filter((job) => job.status === status).length;
  const pairs = [
    ["jobs_running", row.jobs_running, recount("running")],
    ["jobs_finished", row.jobs_finished, recount("finished")],
    ["jobs_failed", row.jobs_failed, recount("failed")],
    ["cpu_ms", row.cpu_ms, jobs.reduce((sum, job) => sum + (job.cpu_ms ?? 0), 0)],
    ...(row.status === "finished" ? [["jobs_total", row.jobs_total, countKeys(jobs)] as const] : []),
  ] as const;
  const wrong = pairs.filter(([, kept, counted]) => kept !== counted);
  return wrong.map(
    ([name, kept, counted]) => `P8: ${name} of ${row.id} is ${kept}, a recount gives ${counted}.`,
  );
}

/** Counts the attempts of one command as one job, as the plan of a run does. */
function countKeys(jobs: readonly Row<"jobs">[]): number {
  return new Set(jobs.map((job) => job.key)).size;
}

function wrongTotals(rows: Rows): string[] {
  const counted = groupBy(rows.runs, (row) => `${row.owner_id} ${row.status}`);
  const kept = new Map(rows.counts.map((row) => [`${row.owner_id} ${row.status}`, row.total]));
  return [...new Set([...counted.keys(), ...kept.keys()])].flatMap((key) => {
    const [has, is] = [kept.get(key) ?? 0, counted.get(key)?.length ?? 0];
    return has === is ? [] : [`P8: the total of ${key} is ${has}, a recount gives ${is}.`];
  });
}
