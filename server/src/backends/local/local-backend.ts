import {
  attemptFolder,
  logBytes,
  makeFolder,
  prepareAttempt,
  readLogBytes,
  removeAttempt,
} from "#backends/local/attempt-folder";
import type { Backend, JobRequest, JobState } from "#backends/backend";
import { endTree } from "#backends/local/end-tree";
import { createJobSlots } from "#backends/local/job-slots";
import { createKeeper } from "#backends/local/keeper";
import { createLeftoverSearch, markOfJob } from "#backends/local/marked-processes";
import { orderOf, refuseUnspeakable } from "#backends/local/order";
import { isAlive } from "#backends/local/process-table";
import { removeSecretFiles } from "#backends/local/secret-files";
import { claimForNobody, endIn, mark, readRecord, recordEnd } from "#backends/local/record";
import { withUnusedImage } from "#backends/local/unused-image";
import type { Clock } from "#plumbing/clock";
import { crashPoint } from "#plumbing/crash-points";
import type { JobEnd } from "#workflow/job";

export interface LocalBackendOptions {
  /** Holds a folder per attempt; on one file system, not within any workspace. */
  readonly folder: string;
  /** Tells its jobs from those of a copy, or of the original, that goes on beside it. */
  readonly hostId: string;
  readonly bootId: string;
  readonly clock: Clock;
  /** What a job may print; past it, it is ended. */
  readonly maxOutputBytes: number;
  readonly log: { error(details: object, message: string): void };
}

/** How often running jobs are looked at whose end nobody would tell: those that an earlier server started. */
const LOOK_INTERVAL_MS = 250;
const NEXT_KEEPER_AFTER_MS = 1000;

/**
 * Where a job stands that has no end yet. ordered: a slot of ours is at it and will say so. elsewhere: somebody else's
 * slot is. waiting: nobody has claimed it; it is ordered again.
 */
interface Standing {
  readonly request: JobRequest;
  at: "ordered" | "elsewhere" | "waiting";
  /** Whether it was said that something is wrong with it: once is enough. */
  isReported: boolean;
}

/**
 * Jobs as processes of this machine, as the user that the server runs as, without a sandbox. Each attempt has a
 * supervisor (slot.sh) that outlives the server: it claims the attempt, runs the command and records its end.
 */
export function openLocalBackend(options: LocalBackendOptions): Backend {
  const { bootId, clock, log } = options;
  const listeners = new Set<(id: string, end: JobEnd) => void>();
  const running = new Map<string, Standing>();
  const slots = createJobSlots(options.folder, bootId);
  const keeper = createKeeper(options, keeperGone);
  const findLeftovers = createLeftoverSearch(() => clock.elapsedMs());
  const folderOf = (id: string) => attemptFolder(options.folder, id);
  let callOff: (() => void) | undefined;
  let callOffKeeper: (() => void) | undefined;
  let closed = false;

  function ended(id: string, end: JobEnd): void {
    if (!running.delete(id)) return;
    crashPoint("exit-seen");
    for (const listener of listeners) listener(id, end);
  }

  async function submit(request: JobRequest): Promise<JobState> {
    if (running.has(request.id)) return { status: "running" };
    refuseUnspeakable(request);
    const isNew = prepareAttempt(folderOf(request.id));
    crashPoint("attempt-made");
    const state = isNew && request.bootId === bootId ? undefined : await presentState(request);
    if (state?.status === "ended") return state;
    if (running.has(request.id)) return { status: "running" };
    const standing: Standing = { request, at: "elsewhere", isReported: false };
    running.set(request.id, standing);
    keeper.keep();
    // A server that died before the job was run may have written secrets that are its user's no more.
    if (!state && !isNew) removeSecretFiles(folderOf(request.id));
    if (state) lookLater();
    else await orderFirst(standing);
    return { status: "running" };
  }

  async function orderFirst(standing: Standing): Promise<void> {
    try {
      await order(standing);
    } catch (error) {
      running.delete(standing.request.id);
      throw error;
    }
  }

  async function order(standing: Standing): Promise<void> {
    const { request } = standing;
    const text = orderOf(request, folderOf(request.id), options);
    if (request.secrets) crashPoint("job-secrets-written");
    standing.at = "ordered";
    await slots.run(text, () => void look(standing));
    crashPoint("order-sent");
  }

  /**
   * Nothing when the attempt was prepared and never claimed: then it may still be started. After a reboot a missing
   * claim proves nothing (it may not have reached the disk), so the job counts as lost.
   */
  async function presentState(request: JobRequest): Promise<JobState | undefined> {
    const folder = folderOf(request.id);
    const record = readRecord(folder);
    const end = endIn(folder, record);
    if (end) return { status: "ended", end: await settled(request, end) };
    if (record.owner === undefined && request.bootId === bootId) return undefined;
    if (typeof record.owner === "object" && isAlive(record.owner, bootId)) {
      crashPoint("claim-seen");
      return { status: "running" };
    }
    // Its end may have been recorded between the two looks: the first one in the record counts.
    const last = recordEnd(folder, clock.now());
    return { status: "ended", end: await settled(request, last) };
  }

  /** What escaped from the process group does not outlive a job that was ended by force, or was lost. */
  async function settled({ id, job }: JobRequest, end: JobEnd): Promise<JobEnd> {
    if (end.reason !== "exited") await endTree(options, [id], folderOf(id));
    forgetSecrets(id);
    return withUnusedImage(folderOf(id), job, end);
  }

  function forgetSecrets(id: string): void {
    removeSecretFiles(folderOf(id));
    crashPoint("job-secrets-removed");
  }

  function lookLater(): void {
    if (!closed) callOff ??= clock.after(LOOK_INTERVAL_MS, () => void lookAtAll());
  }

  async function lookAtAll(): Promise<void> {
    const untold = () => [...running.values()].filter(({ at }) => at !== "ordered");
    await Promise.all(untold().map(look));
    callOff = undefined;
    if (untold().length > 0) lookLater();
  }

  async function look(standing: Standing): Promise<void> {
    const { request } = standing;
    if (closed || running.get(request.id) !== standing) return;
    try {
      const state = await presentState(request);
      if (state?.status === "ended") return ended(request.id, state.end);
      if (!state && standing.at === "waiting") return await order(standing);
      if (!state) report(standing, undefined, NOT_BEGUN);
      standing.at = state ? "elsewhere" : "waiting";
    } catch (error) {
      report(standing, error, "Looking at a job failed; it is tried again.");
      standing.at = "waiting";
    }
    lookLater();
  }

  function report(standing: Standing, err: unknown, message: string): void {
    if (!standing.isReported) log.error({ err, job: standing.request.id }, message);
    standing.isReported = true;
  }

  function keeperGone(reason: string): void {
    if (closed || running.size === 0) return;
    log.error({ reason }, "The process that holds the limits of jobs has ended; another one is started.");
    callOffKeeper = clock.after(NEXT_KEEPER_AFTER_MS, () => {
      if (running.size > 0) keeper.keep();
    });
  }

  async function cancel(request: JobRequest): Promise<JobEnd> {
    const folder = folderOf(request.id);
    const end = await withUnusedImage(folder, request.job, await endOfCancelled(request.id, folder));
    forgetSecrets(request.id);
    ended(request.id, end);
    return end;
  }

  async function endOfCancelled(id: string, folder: string): Promise<JobEnd> {
    makeFolder(folder);
    if (claimForNobody(folder, clock.now())) return endIn(folder) ?? recordEnd(folder, clock.now());
    if (!endIn(folder)) mark(folder, "cancelled");
    await endTree(options, [id], folder);
    const end = endIn(folder);
    if (end) return end;
    // Killed supervisors record nothing; what one of them was about to start leaves when it finds this end.
    const last = recordEnd(folder, clock.now());
    await endTree(options, [id], folder);
    return last;
  }

  async function endLeftovers(ids: readonly string[]): Promise<void> {
    const marks = new Set(ids.map((id) => markOfJob(options.hostId, id)));
    const { pids, isWhole } = await findLeftovers(marks);
    // As in endTree, a second look settles what the first one could not; it is cheap, where a whole one is not.
    const left = isWhole ? pids : [...pids, ...(await findLeftovers(marks)).pids];
    if (left.length > 0) await endTree(options, ids);
  }

  return {
    name: "Local",
    isHostBound: true,
    submit,
    cancel,
    watch(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    readLog: (id, from, maxBytes) => readLogBytes(folderOf(id), from, maxBytes),
    logSize: (id) => logBytes(folderOf(id)),
    endLeftovers,
    async remove(ids) {
      await endLeftovers(ids);
      await Promise.all(ids.map((id) => removeAttempt(folderOf(id))));
    },
    async close() {
      closed = true;
      callOff?.();
      callOffKeeper?.();
      slots.close();
      keeper.close();
      listeners.clear();
    },
    runningJobs: () => running.size,
  };
}

const NOT_BEGUN =
  "A job has not begun: its record could not be written (is the disk full?), or the shell that was to run it was " +
  "ended. It is ordered again until it begins.";
