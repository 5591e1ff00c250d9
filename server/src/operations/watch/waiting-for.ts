import { toWireTime } from "#plumbing/clock";
import { shortageSentence } from "#operations/service/disk-shortage";
import { type HostStatus, UNOBSTRUCTED } from "#scheduler/scheduler";
import type { Connection } from "#store/database/database";
import { maybeSilentHost } from "#store/hosts/hosts";
import { countUnsubmitted, maybeSubmitted } from "#store/jobs/waiting-jobs";
import { queuedBefore } from "#store/runs/run-queue";
import type { Run } from "#store/runs/runs";
import { counted } from "#plumbing/text/counted";
import { isLive } from "#workflow/run/run-status";

/**
 * Returns a sentence about what a run waits for, or undefined if it is making progress, has not been started, or has
 * ended.
 */
export async function maybeWaitingFor(
  db: Connection,
  run: Run,
  host: HostStatus = UNOBSTRUCTED,
): Promise<string | undefined> {
  const { hostId, draining, shortage, away, held, awaitingEngine } = host;
  if (!isLive(run.status)) return undefined;
  if (run.status === "queued" && draining !== "no") return UPGRADE;
  if (run.status === "queued" && shortage) return shortageSentence(shortage);
  if (run.status === "queued" && held.has(run.ownerId)) return held.get(run.ownerId);
  if (run.status === "queued") return itsTurn(await queuedBefore(db, run));
  // A server unable to write looks silent in its own database.
  if (run.heldBy === hostId && shortage?.isFull) return shortageSentence(shortage);
  const silent = await maybeSilentHost(db, run.heldBy);
  if (silent) return silence(silent);
  if (run.waitingFor !== null) return run.waitingFor;
  if (draining === "handed-over") return HANDED_OVER;
  if (run.stopRequestedAtMs !== null) return "The run is being stopped. Its last process has not ended yet.";
  const submitted = await maybeSubmitted(db, run);
  if (submitted) return outside(submitted, run.heldBy === hostId ? away : new Map());
  const waiting = await countUnsubmitted(db, run.id);
  if (awaitingEngine.has(run.id) && waiting.jobs === 0) return ENGINE_BUSY;
  const place = aPlace(run, waiting, host);
  return place && run.heldBy === hostId && shortage ? shortageSentence(shortage) : place;
}

function silence({ id, name, seenAtMs }: SilentHost): string {
  const since = toWireTime(seenAtMs).replace("T", " ");
  return (
    `Its host ${name} has been silent since ${since} UTC. The run continues when that host is back, or ` +
    `elsewhere once the administrator declares it lost (reprise admin declare-lost ${id}).`
  );
}

type SilentHost = NonNullable<Awaited<ReturnType<typeof maybeSilentHost>>>;

/** Returns undefined if the job's backend can reach the job. */
function outside(
  job: NonNullable<Awaited<ReturnType<typeof maybeSubmitted>>>,
  away: ReadonlyMap<string, string>,
): string | undefined {
  const absence = away.get(job.backend);
  if (absence !== undefined) return `${absence} Submitted jobs continue meanwhile.`;
  if (job.queueReason === null) return job.concern ?? undefined;
  return `A job waits for ${job.backend}: ${job.queueReason.replace(/\.$/, "")}.`;
}

type Unsubmitted = Awaited<ReturnType<typeof countUnsubmitted>>;

const UPGRADE = "The server is being upgraded. Queued runs start afterwards.";
const HANDED_OVER =
  "The server is being upgraded. Running jobs continue, and the next ones start afterwards.";

/** The maximum of the server, or of one user. */
const MAX_RUNS = "The maximum number of runs is already running.";

function itsTurn(before: number): string {
  if (before === 0) return `${MAX_RUNS} Yours is next in your queue.`;
  const others = before === 1 ? "One of your runs is" : `${before} of your runs are`;
  return `${MAX_RUNS} ${others} ahead of it in the queue.`;
}

/** Returns undefined if no job waits: the run is making progress. */
function aPlace(run: Run, { jobs, retries }: Unsubmitted, host: HostStatus): string | undefined {
  if (run.status === "pending") return notBegun(run, host);
  if (jobs === 0) return undefined;
  if (jobs === retries)
    return "A failed job will be retried after its delay, once enough cores and memory are free.";
  const ofGpus = maybeGpus(run, host);
  if (ofGpus !== undefined) return `A job waits for ${ofGpus}`;
  const need = jobs === 1 ? "A job needs" : `${jobs} jobs need`;
  return `${need} ${IN_USE}`;
}

const ENGINE_BUSY =
  "Its workflow engine is computing for other runs. Users take turns, and this run continues at its turn.";

/**
 * A pending run has no job rows yet. Only the host holding the run knows whether the engine has requested
 * jobs.
 */
function notBegun(run: Run, host: HostStatus): string {
  const { id, heldBy } = run;
  const { hostId, awaitingCapacity } = host;
  const ofGpus = maybeGpus(run, host);
  if (ofGpus !== undefined) return `Its first job waits for ${ofGpus}`;
  if (awaitingCapacity.has(id)) return `Its first job needs ${IN_USE}`;
  return heldBy === hostId ? ENGINE_STARTS : "Its first job has not begun.";
}

/** Returns the GPUs for which a job of the run waits, as the end of a sentence. */
function maybeGpus({ id }: Run, { awaitingGpus, gpus }: HostStatus): string | undefined {
  const wanted = awaitingGpus.get(id);
  if (wanted === undefined) return undefined;
  return `${wanted} of ${counted(gpus, "GPU")}, which other jobs are using.`;
}

const ENGINE_STARTS = "Its workflow engine is starting, or works out the first jobs.";
const IN_USE = "cores or memory that other jobs are using.";
