import type { EngineEvent, Instruction } from "#engines/engine";
import { isEnding } from "#engines/engine";
import { engineInput } from "#runner/engine/engine-input";
import type { Connection } from "#store/database/database";
import { type JobRecord, jobsOfRun } from "#store/jobs/jobs";
import { type RunEvent, runEvents } from "#store/events/run-events";
import { maybeRun, oneDefinition, type Run } from "#store/runs/runs";
import { attemptOf, type JobEnd } from "#workflow/job/job";
import { isLive } from "#workflow/run/run-status";
import type { Specification } from "#workflow/specification/specification";
import { wrongNodeCounts, wrongUse } from "../crash/promises/counters.ts";
import { sessionOf } from "./engines.ts";
import type { SharedDatabase } from "./shared-database.ts";
import { jobsIn } from "./workload/languages.ts";
import type { World } from "./world.ts";

/** Checks what must hold when a world has come to rest, from the rows and not from what was seen on the way. */
export async function checkAtRest(world: World, database: SharedDatabase): Promise<void> {
  const db = database.connection();
  await checkTotals(world, db);
  await checkCounters(world, db);
  const reruns = await db.selectFrom("reruns").select(["workspace_id", "source_workspace_id"]).execute();
  for (const id of world.witness.runs.keys()) {
    const run = (await maybeRun(db, id))!;
    await checkRun(world, db, run);
    checkPromises(world, run);
    checkCluster(world, run, reruns);
  }
}

/** The workspaces of reruns, with the source workspace of each copy. */
type Reruns = readonly { readonly workspace_id: string; readonly source_workspace_id: string }[];

async function checkTotals(world: World, db: Connection): Promise<void> {
  const told = await db.selectFrom("run_counts").select(["owner_id", "status", "total"]).execute();
  const counted = await db
    .selectFrom("runs")
    .select(["owner_id", "status", (count) => count.fn.countAll<number>().as("total")])
    .groupBy(["owner_id", "status"])
    .execute();
  const inWords = (rows: readonly { owner_id: string; status: string; total: number }[]) =>
    rows
      .filter((row) => row.total !== 0)
      .map((row) => `${row.owner_id.slice(0, 4)} ${row.status} ${row.total}`)
      .toSorted()
      .join(", ");
  if (inWords(told) === inWords(counted)) return;
  world.fail(`The totals are kept as ${inWords(told)}; counted they are ${inWords(counted)}.`);
}

async function checkCounters(world: World, db: Connection): Promise<void> {
  const jobs = await db.selectFrom("jobs").selectAll().execute();
  const nodes = await db.selectFrom("run_nodes").selectAll().execute();
  const runs = await db.selectFrom("runs").selectAll().execute();
  const endedNotebooks = await db.selectFrom("ended_notebooks").selectAll().execute();
  const usageDays = await db.selectFrom("usage_days").selectAll().execute();
  for (const wrong of [...wrongNodeCounts({ jobs, nodes }), ...wrongUse({ runs, endedNotebooks, usageDays })])
    world.fail(wrong);
}

async function checkRun(world: World, db: Connection, run: Run): Promise<void> {
  const events = await runEvents(db, run.id);
  const jobs = await jobsOfRun(db, run.id);
  if (isLive(run.status)) world.fail(`${run.id} is ${run.status} although all has come to rest.`);
  const gap = events.findIndex((event, index) => event.seq !== index);
  if (gap !== -1) world.fail(`The events of ${run.id} have a gap at ${gap}.`);
  const count = (status: string) => jobs.filter((job) => job.status === status).length;
  const counted = [count("running"), count("finished"), count("failed")];
  const told = [run.jobsRunning, run.jobsFinished, run.jobsFailed];
  if (String(counted) !== String(told))
    world.fail(`${run.id} counts ${told.join(", ")} jobs; there are ${counted.join(", ")}.`);
  const keys = new Set(jobs.map(({ key }) => key)).size;
  if (run.status === "finished" && run.jobsTotal !== keys)
    world.fail(`${run.id} is finished with ${keys} jobs; it expected ${run.jobsTotal}.`);
  checkEnds(world, run, events, jobs);
  checkParts(world, run, jobs, (await oneDefinition(db, run.id)).specification);
  checkShownLogs(world, run, jobs);
  await checkReplay(world, db, run, events, jobs);
}

/** Checks that a finished run in CWL or Yadage has a job for each part, and a joining job. */
function checkParts(world: World, run: Run, jobs: readonly JobRecord[], specification: Specification): void {
  const wanted = jobsIn(specification);
  if (run.status !== "finished" || wanted === undefined) return;
  world.coverage.count(`finished: ${specification.workflow.file}`);
  if (jobs.length !== wanted) world.fail(`${run.id} is finished with ${jobs.length} jobs, not ${wanted}.`);
}

/** Checks that each job's end is in exactly one event, and equals the job's row. */
function checkEnds(world: World, run: Run, events: readonly RunEvent[], jobs: readonly JobRecord[]): void {
  const ends = new Map<string, JobEnd>();
  for (const ended of events.flatMap(endsIn)) {
    const name = nameOf(ended);
    if (ends.has(name)) world.fail(`${run.id} has two ends of job ${name}.`);
    ends.set(name, ended.end);
  }
  for (const job of jobs.filter((one) => one.takenFrom === null)) {
    const end = ends.get(nameOf(job));
    if (end?.reason === job.reason && end?.exitCode === job.exitCode) continue;
    world.fail(
      `${run.id} has job ${nameOf(job)} as ${job.status} (${job.reason}); its events say ${end?.reason}.`,
    );
  }
}

/** Checks that a run can still show the logs of jobs taken over. Logs on a lost host are lost. */
function checkShownLogs(world: World, run: Run, jobs: readonly JobRecord[]): void {
  if (run.status === "deleted" || world.settings.isHostBound) return;
  for (const { key, takenFrom } of jobs) {
    if (takenFrom === null || world.sites.known(takenFrom).length > 0) continue;
    world.fail(`${run.id} has lost the log of job ${key}, which it took over from ${takenFrom}.`);
  }
}

type EndedJob = { readonly key: string; readonly attempt?: number; readonly end: JobEnd };

function endsIn(event: RunEvent): readonly EndedJob[] {
  if (event.kind === "job-ended") return [event.body as EndedJob];
  return (event.body as { ended?: readonly EndedJob[] } | null)?.ended ?? [];
}

function nameOf(job: { readonly key: string; readonly attempt?: number }): string {
  return `${job.key} (attempt ${attemptOf(job)})`;
}

/** Checks that the engine alone, given the recorded events, issues the recorded jobs and the recorded end. */
async function checkReplay(
  world: World,
  db: Connection,
  run: Run,
  events: readonly RunEvent[],
  jobs: readonly JobRecord[],
): Promise<void> {
  const definition = await oneDefinition(db, run.id);
  // The evidence that a restart was compared with is removed together with the files.
  if (definition.restart && isGone(world, run)) return;
  if (!events.some(({ kind }) => kind === "begun")) {
    if (jobs.length > 0) world.fail(`${run.id} has never begun, but has ${jobs.length} jobs.`);
    return;
  }
  const input = await engineInput({ db, workspaces: { of: (id) => ({ folder: `/workspaces/${id}` }) } }, run);
  const session = sessionOf(run.language, input);
  const answers = events.flatMap((event): readonly Instruction[] => {
    if (event.kind === "begun") return session.start();
    if (["start", "ended", "stopped"].includes(event.kind)) return [];
    return session.apply([event.body as EngineEvent]).flat();
  });
  const issued = answers.flatMap((one) =>
    one.do === "submit" || one.do === "take-over" ? [nameOf(one.job)] : [],
  );
  const recorded = jobs.map(nameOf);
  if (String(issued) !== String(recorded)) {
    world.fail(
      `A replay of ${run.id} issues the jobs ${issued.join(", ")}; recorded are ${recorded.join(", ")}.`,
    );
  }
  const ending = answers.find(isEnding);
  const said = ending === undefined ? undefined : ending.do === "finish" ? "finished" : "failed";
  const was = endOf(world, run);
  if (was !== undefined && was !== "stopped" && was !== said) {
    world.fail(`${run.id} is ${was} (${run.failure}); its engine says ${said ?? "nothing"}.`);
  }
}

/** Returns how the run ended, even if it was deleted since. */
function endOf(world: World, run: Run): string | undefined {
  const { kinds, lastLiveEnd } = world.witness.runs.get(run.id)!;
  return kinds.length === 0 ? undefined : lastLiveEnd;
}

/**
 * The longest time between the acknowledgement of a stop by one server and its effect on the run by another,
 * including pauses.
 */
const STOP_MAX_MS = 600_000;

function checkPromises(world: World, run: Run): void {
  const seen = world.witness.runs.get(run.id)!;
  for (const { verb, atMs } of world.people.promised.filter((one) => one.run === run.id)) {
    if ((verb === "start" || verb === "restart" || verb === "rerun") && run.status === "created")
      world.fail(`The start of ${run.id} was forgotten.`);
    if (verb === "delete" && run.status !== "deleted") world.fail(`The deletion of ${run.id} was forgotten.`);
    if (verb !== "stop" || seen.lastLiveEnd === "stopped") continue;
    if ((seen.endSeenAtMs ?? 0) > atMs + STOP_MAX_MS) world.fail(`The stop of ${run.id} was forgotten.`);
  }
}

/**
 * Checks that an ended run has left no jobs behind, and that the cluster knows no job of a deleted run once
 * all runs with the same workspace, or with a copy of the workspace, are deleted.
 */
function checkCluster(world: World, run: Run, reruns: Reruns): void {
  const known = world.sites.jobs().filter((job) => job.run === run.id);
  for (const job of known) {
    const { key } = job.request.job;
    if (job.state.status !== "ended") world.fail(`Job ${key} of ${run.id} runs; the run is ${run.status}.`);
    // Only the host of a job can end its leftovers, and the run may have ended on a different host.
    if (job.hasLeftovers && !world.settings.isHostBound)
      world.fail(`What job ${key} of ${run.id} left behind still runs; the run is ${run.status}.`);
    // Each host removes only jobs of its own.
    if (isGone(world, run) && !isShown(world, run, reruns) && !world.settings.isHostBound)
      world.fail(`Job ${key} of the deleted run ${run.id} was not removed.`);
  }
  if (isGone(world, run) && world.files.hasAny(run.workspaceId)) {
    world.fail(`The files of the deleted run ${run.id} are still there.`);
  }
}

/** Returns whether a rerun that is not deleted may show the logs of the run's jobs. */
function isShown(world: World, { workspaceId }: Pick<Run, "workspaceId">, reruns: Reruns): boolean {
  const copies = reruns.filter((one) => one.source_workspace_id === workspaceId);
  return copies.some(({ workspace_id: copy }) => {
    const run = { workspaceId: copy };
    return !isGone(world, run) || isShown(world, run, reruns);
  });
}

/** Returns whether all runs with the run's workspace are deleted. */
function isGone(world: World, { workspaceId }: Pick<Run, "workspaceId">): boolean {
  const sharing = [...world.witness.runs.values()].filter(({ row }) => row.workspaceId === workspaceId);
  return sharing.every(({ row }) => row.status === "deleted");
}
