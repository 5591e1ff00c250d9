import { sql } from "kysely";
import { adapterOf } from "#store/database/adapter";
import type { Connection } from "#store/database/database";
import { type JobRecord, jobsOfRun } from "#store/jobs/jobs";
import { type RunEvent, runEvents } from "#store/events/run-events";
import { maybeRun, type Run } from "#store/runs/runs";
import type { JobEnd } from "#workflow/job/job";
import { isLive, TRANSITIONS } from "#workflow/run/run-status";
import type { FakeBackend } from "../support/fakes/fake-backend.ts";

/** Records every change of a status by a trigger. The database may contain an earlier story. */
export async function watchStatuses(db: Connection): Promise<void> {
  await sql`create table if not exists status_moves (run_id text, before text, after text)`.execute(db);
  await sql`delete from status_moves`.execute(db);
  if (adapterOf(db).differences.locksRows) return watchStatusesInPostgres(db);
  await sql`create trigger status_moved after update of status on runs begin
    insert into status_moves values (new.id, old.status, new.status); end`.execute(db);
}

async function watchStatusesInPostgres(db: Connection): Promise<void> {
  await sql`create or replace function note_status_move() returns trigger language plpgsql as $$ begin
    insert into status_moves values (new.id, old.status, new.status); return null; end $$`.execute(db);
  await sql`create or replace trigger status_moved after update of status on runs
    for each row execute function note_status_move()`.execute(db);
}

/** Checks the invariants at the end of a story. Throws an error with every violation. */
export async function checkStory(
  db: Connection,
  backend: FakeBackend,
  runs: readonly string[],
): Promise<void> {
  const wrong = [...(await wrongMoves(db)), ...(await wrongTotals(db)), ...(await wrongStarts(db, backend))];
  for (const id of runs) {
    const run = (await maybeRun(db, id))!;
    const [events, jobs] = [await runEvents(db, id), await jobsOfRun(db, id)];
    const found = [
      ...wrongEnd(run),
      ...wrongCounters(run, jobs),
      ...wrongEvents(events),
      ...wrongEnds(events, jobs),
      ...wrongOutcome(run, events, jobs),
      ...wrongOnCluster(backend, jobs),
    ];
    wrong.push(...found.map((what) => `run ${id} (${run.status}): ${what}`));
  }
  if (wrong.length > 0) throw new Error(wrong.join("\n"));
}

async function wrongMoves(db: Connection): Promise<string[]> {
  const { rows } = await sql<{ run_id: string; before: string; after: string }>`
    select * from status_moves`.execute(db);
  const isKnown = (before: string, after: string) =>
    TRANSITIONS.some((row) => row.from === before && row.to === after);
  return rows
    .filter(({ before, after }) => !isKnown(before, after))
    .map(({ run_id, before, after }) => `run ${run_id} went from ${before} to ${after}`);
}

async function wrongTotals(db: Connection): Promise<string[]> {
  // PostgreSQL returns sums as texts.
  const { rows } = await sql<{ owner_id: string; status: string; told: unknown; counted: unknown }>`
    select owner_id, status, sum(told) as told, sum(counted) as counted from (
      select owner_id, status, total as told, 0 as counted from run_counts
      union all select owner_id, status, 0, 1 from runs) as totals group by owner_id, status`.execute(db);
  return rows
    .filter(({ told, counted }) => Number(told) !== Number(counted))
    .map(
      ({ status, told, counted }) =>
        `${String(told)} runs are said to be ${status}, and ${String(counted)} are`,
    );
}

async function wrongStarts(db: Connection, { started }: FakeBackend): Promise<string[]> {
  const known = new Set((await db.selectFrom("jobs").select("id").execute()).map((row) => row.id));
  return [
    ...started
      .filter((id, index) => started.indexOf(id) !== index)
      .map((id) => `job ${id} was started twice`),
    ...started.filter((id) => !known.has(id)).map((id) => `job ${id} was started, and no run has it`),
  ];
}

function wrongEnd({ status, waitingFor }: Run): string[] {
  if (isLive(status)) return ["it is not over"];
  return waitingFor === null ? [] : [`it is over and waits for: ${waitingFor}`];
}

function wrongCounters(run: Run, jobs: readonly JobRecord[]): string[] {
  const count = (status: string) => jobs.filter((job) => job.status === status).length;
  const counted = `${count("running")} ${count("finished")} ${count("failed")}`;
  const told = `${run.jobsRunning} ${run.jobsFinished} ${run.jobsFailed}`;
  return told === counted ? [] : [`its counters say ${told}, and its jobs ${counted}`];
}

function wrongEvents(events: readonly RunEvent[]): string[] {
  const gap = events.findIndex((event, index) => event.seq !== index);
  return gap === -1 ? [] : [`its events have a gap at ${gap}`];
}

/** Checks that the end of each job is in exactly one event and in the job's row. */
function wrongEnds(events: readonly RunEvent[], jobs: readonly JobRecord[]): string[] {
  const ends = events.flatMap(endsIn);
  const wrong = ends
    .filter(({ key }) => !jobs.some((job) => job.key === key))
    .map(({ key }) => `there is an event of the job ${key}, and no such job`);
  for (const job of jobs) {
    const mine = ends.filter(({ key }) => key === job.key);
    if (mine.length !== 1) wrong.push(`the job ${job.key} (${job.status}) has ${mine.length} ends`);
    else if (mine[0]!.end.reason !== job.reason || mine[0]!.end.exitCode !== job.exitCode) {
      wrong.push(`the job ${job.key} has the end ${job.reason}, its event says ${mine[0]!.end.reason}`);
    }
  }
  if (jobs.length > 0 && !events.some((event) => event.kind === "begun"))
    wrong.push("it has jobs and never began");
  return wrong;
}

function endsIn({ kind, body }: RunEvent): readonly { key: string; end: JobEnd }[] {
  if (kind === "job-ended") return [body as { key: string; end: JobEnd }];
  return (body as { ended?: { key: string; end: JobEnd }[] } | null)?.ended ?? [];
}

/** Checks that a run ends as its jobs and users decide: faults of the store must not change the outcome. */
function wrongOutcome(run: Run, events: readonly RunEvent[], jobs: readonly JobRecord[]): string[] {
  if (run.status === "stopped") {
    return run.stopRequestedAtMs === null ? ["nobody stopped it"] : [];
  }
  const areAllWell = jobs.every((job) => job.status === "finished");
  const expected = areAllWell && jobs.length > 0 ? "finished" : "failed";
  if (run.status === expected) return [];
  return [`it should be ${expected} (${run.failure}); ${events.at(-1)?.kind}`];
}

function wrongOnCluster(backend: FakeBackend, jobs: readonly JobRecord[]): string[] {
  const wrong: string[] = [];
  for (const { id, key, reason } of jobs) {
    const wasStarted = backend.started.includes(id);
    if (backend.stateOf(id)?.status === "running") wrong.push(`its job ${key} runs still`);
    if (wasStarted && reason === "not-started") wrong.push(`its job ${key} began, and is said not to have`);
    if (!wasStarted && reason === "exited")
      wrong.push(`its job ${key} never began, and is said to have ended`);
    if (!backend.endedLeftovers.has(id)) wrong.push(`what its job ${key} left was not ended`);
  }
  return wrong;
}
