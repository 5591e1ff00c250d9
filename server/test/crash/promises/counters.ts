import { groupBy, type Row, type Rows } from "./rows.ts";

/** P8: the running counters equal a recount. */
export function wrongCounters(rows: Rows): string[] {
  const jobs = groupBy(rows.jobs, (job) => job.run_id);
  return [
    ...rows.runs.flatMap((row) => wrongJobCounts(row, jobs.get(row.id) ?? [])),
    ...wrongNodeCounts(rows),
    ...wrongTotals(rows),
    ...wrongUse(rows),
  ];
}

/** Recounts the jobs of each node by status. An attempt that another has followed counts as retried. */
export function wrongNodeCounts(rows: Pick<Rows, "jobs" | "nodes">): string[] {
  const last = new Map(rows.jobs.map((job) => [`${job.run_id} ${job.key}`, 0]));
  for (const { run_id: run, key, attempt } of rows.jobs) {
    last.set(`${run} ${key}`, Math.max(attempt, last.get(`${run} ${key}`)!));
  }
  const counted = groupBy(rows.jobs, (job) => {
    const isLast = job.attempt === last.get(`${job.run_id} ${job.key}`);
    const word = job.taken_from === null ? countedAs(job) : "taken_over";
    return `${job.run_id} ${job.node} ${isLast ? word : "retried"}`;
  });
  const kept = new Map<string, number>(
    rows.nodes.flatMap(({ run_id: run, node, mark: _mark, ...totals }) =>
      Object.entries(totals).map(([word, total]) => [`${run} ${node} ${word}`, total] as const),
    ),
  );
  return [...new Set([...counted.keys(), ...kept.keys()])].flatMap((key) => {
    const [has, is] = [kept.get(key) ?? 0, counted.get(key)?.length ?? 0];
    return has === is ? [] : [`P8: the total of the node ${key} is ${has}, a recount gives ${is}.`];
  });
}

function wrongJobCounts(row: Row<"runs">, jobs: readonly Row<"jobs">[]): string[] {
  const recount = (status: string) => jobs.filter((job) => countedAs(job) === status).length;
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

/** Returns the word that counts a job. A job that its backend holds back counts as waiting. */
function countedAs({ status, queue_reason: reason }: Row<"jobs">): string {
  return status === "running" && reason !== null ? "created" : status;
}

/** Counts the attempts of a command as one job, like the plan of a run. */
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

const DAY_MS = 86_400_000;

/** Recounts what the ended runs and notebooks of each user have used on each day. */
export function wrongUse({
  runs,
  endedNotebooks,
  usageDays,
}: Pick<Rows, "runs" | "endedNotebooks" | "usageDays">): string[] {
  const ofNotebooks = endedNotebooks.map(({ user_id: user, ended_at: to, cpu_ms: cpu }) => {
    const day = `${user} ${Math.floor(to / DAY_MS)}`;
    return { day, cpu, wall: 0, runs: 0 };
  });
  const ofRuns = runs.flatMap(({ owner_id: user, started_at: from, ...run }) => {
    const cpu = run.cpu_ms + run.engine_cpu_ms;
    const to = run.finished_at ?? run.stopped_at;
    return from === null || to === null
      ? []
      : [{ day: `${user} ${Math.floor(to / DAY_MS)}`, cpu, wall: to - from, runs: 1 }];
  });
  const counted = new Map(
    [...groupBy([...ofRuns, ...ofNotebooks], ({ day }) => day)].map(([day, all]) => {
      const sum = (part: "cpu" | "wall" | "runs") => all.reduce((total, one) => total + one[part], 0);
      return [day, `${sum("runs")} runs, ${sum("cpu")} ms, ${sum("wall")} ms`];
    }),
  );
  const kept = new Map(
    usageDays.map((row) => [
      `${row.user_id} ${row.day}`,
      `${row.runs} runs, ${row.cpu_ms} ms, ${row.wall_ms} ms`,
    ]),
  );
  return [...new Set([...counted.keys(), ...kept.keys()])].flatMap((day) => {
    const [has, is] = [kept.get(day), counted.get(day)];
    return has === is ? [] : [`P8: the use on the day ${day} is ${has}, a recount gives ${is}.`];
  });
}
