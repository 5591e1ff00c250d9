import {
  attemptFolder,
  logBytes,
  makeFolder,
  readLogBytes,
  removeAttempt,
  type RemoveTree,
  scratchFolder,
} from "#backends/local/attempt/attempt-folder";
import type { Backend, JobRequest, JobState } from "#backends/backend";
import { DamagedAttempt, isBeingMended } from "#backends/local/attempt/damaged-attempt";
import { endTree } from "#backends/local/processes/end-tree";
import { createJobSlots } from "#backends/local/slots/job-slots";
import { createKeeper } from "#backends/local/slots/keeper";
import { createLeftoverSearch, markOfJob } from "#backends/local/processes/marked-processes";
import { orderOf, refuseUnspeakable } from "#backends/local/slots/order";
import { removeSecretFiles } from "#backends/local/attempt/secret-files";
import {
  claimForNobody,
  endIn,
  mark,
  readRecord,
  recordDamage,
  recordEnd,
} from "#backends/local/attempt/record";
import { isSupervising, unclaimedBy } from "#backends/local/processes/supervision";
import { withUnusedImage } from "#backends/local/unused-image";
import type { Clock } from "#plumbing/clock";
import { crashPoint } from "#plumbing/crash-points";
import type { JobEnd } from "#workflow/job";

export interface LocalBackendOptions {
  /** Holds a folder per attempt. It must be on one file system, and outside every workspace. */
  readonly folder: string;
  /** Tells its jobs from those in a copy of the data folder, or in the original, that is running beside it. */
  readonly hostId: string;
  readonly bootId: string;
  readonly clock: Clock;
  /** Limit on the output of a job in bytes. A job that prints more is ended. */
  readonly maxOutputBytes: number;
  readonly removeTree: RemoveTree;
  /** Variables that every job gets in addition to those it declares. */
  readonly environment?: Readonly<Record<string, string>>;
  readonly log: { error(details: object, message: string): void };
}

/** Interval at which running jobs are checked whose end is not reported: those that an earlier server started. */
const LOOK_INTERVAL_MS = 250;
const NEXT_KEEPER_AFTER_MS = 1000;

/**
 * The position of a job that has no end yet.
 *
 * - ordered: a slot of this server has it and will report;
 * - elsewhere: another server's slot has it;
 * - waiting: it is not claimed, and is ordered again.
 */
interface Standing {
  readonly request: JobRequest;
  at: "ordered" | "elsewhere" | "waiting";
  /** Whether a problem with it has been logged: it is logged once. */
  isReported: boolean;
}

/**
 * Runs jobs as processes of this machine, as the server's user, without a sandbox. Each attempt has a supervisor
 * (slot.sh) that outlives the server: it claims the attempt, runs the command and records its end.
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
    const isNew = makeFolder(folderOf(request.id));
    crashPoint("attempt-made");
    const state = isNew && request.bootId === bootId ? undefined : await presentState(request);
    if (state?.status === "ended") return state;
    if (running.has(request.id)) return { status: "running" };
    const standing: Standing = { request, at: "elsewhere", isReported: false };
    running.set(request.id, standing);
    keeper.keep();
    // A server that died before the job ran may have written secrets that its user has since removed.
    if (!state && !isNew) await removeSecretFiles(folderOf(request.id), options.removeTree);
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
    makeFolder(scratchFolder(folderOf(request.id)));
    const text = orderOf(request, folderOf(request.id), options);
    if (request.secrets) crashPoint("job-secrets-written");
    standing.at = "ordered";
    await slots.run(text, (hasBegun) => void look(standing, hasBegun));
    crashPoint("order-sent");
  }

  /**
   * Returns undefined if the attempt was prepared and never claimed: then it may still be started. After a reboot a
   * missing claim proves nothing (it may not have reached the disk), so the job counts as lost. It is lost too if its
   * files are damaged; `hasBegun` then tells that there was a claim.
   */
  function presentState(request: JobRequest, hasBegun = false): Promise<JobState | undefined> {
    const { id } = request;
    const ask = () => presentStateByRecord(request, hasBegun);
    return unlessDamaged(id, ask, (end) => ({ status: "ended", end }));
  }

  async function presentStateByRecord(request: JobRequest, hasBegun: boolean): Promise<JobState | undefined> {
    const folder = folderOf(request.id);
    const record = readRecord(folder);
    const end = endIn(folder, record);
    if (end) return { status: "ended", end: await settled(request, end) };
    if (record.owner === undefined && request.bootId === bootId) return stateUnclaimed(folder, hasBegun);
    if (typeof record.owner === "object" && isSupervising(record.owner, folder, bootId)) {
      crashPoint("claim-seen");
      return { status: "running" };
    }
    // Its end may have been recorded between the two checks: the first end in the record counts.
    const last = recordEnd(folder, clock.now());
    return { status: "ended", end: await settled(request, last) };
  }

  function stateUnclaimed(folder: string, hasBegun: boolean): JobState | undefined {
    const by = unclaimedBy(folder, bootId);
    if (hasBegun || by === "without-record" || isBeingMended(folder))
      throw new DamagedAttempt("record", "gone");
    return by === "about-to" ? { status: "running" } : undefined;
  }

  /** Runs `work`. If the job's files are damaged, ends what is left of the job and records that it is lost. */
  async function unlessDamaged<Result>(
    id: string,
    work: () => Promise<Result>,
    ofLost: (end: JobEnd) => Result,
  ): Promise<Result> {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof DamagedAttempt)) throw error;
      await endTree(options, [id], folderOf(id));
      const end = recordDamage(folderOf(id), error, clock.now());
      await forgetSecrets(id);
      return ofLost(end);
    }
  }

  /** Makes sure that nothing that escaped from the process group outlives a job that was lost or ended by force. */
  async function settled({ id, job }: JobRequest, end: JobEnd): Promise<JobEnd> {
    if (end.reason !== "exited") await endTree(options, [id], folderOf(id));
    await forgetSecrets(id);
    return withUnusedImage(folderOf(id), job, end);
  }

  async function forgetSecrets(id: string): Promise<void> {
    await removeSecretFiles(folderOf(id), options.removeTree);
    crashPoint("job-secrets-removed");
  }

  function lookLater(): void {
    if (!closed) callOff ??= clock.after(LOOK_INTERVAL_MS, () => void lookAtAll());
  }

  async function lookAtAll(): Promise<void> {
    const untold = () => [...running.values()].filter(({ at }) => at !== "ordered");
    await Promise.all(untold().map((standing) => look(standing)));
    callOff = undefined;
    if (untold().length > 0) lookLater();
  }

  async function look(standing: Standing, hasBegun = false): Promise<void> {
    const { request } = standing;
    if (closed || running.get(request.id) !== standing) return;
    try {
      const state = await presentState(request, hasBegun);
      if (state?.status === "ended") return ended(request.id, state.end);
      if (!state && standing.at === "waiting") return await orderAgain(standing);
      if (!state) report(standing, undefined, NOT_BEGUN);
      standing.at = state ? "elsewhere" : "waiting";
    } catch (error) {
      report(standing, error, "The state of a job could not be read; trying again.");
      standing.at = "waiting";
    }
    lookLater();
  }

  function orderAgain(standing: Standing): Promise<void> {
    const { id } = standing.request;
    return unlessDamaged(
      id,
      () => order(standing),
      (end) => ended(id, end),
    );
  }

  function report(standing: Standing, err: unknown, message: string): void {
    if (!standing.isReported) log.error({ err, job: standing.request.id }, message);
    standing.isReported = true;
  }

  function keeperGone(reason: string): void {
    if (closed || running.size === 0) return;
    log.error({ reason }, "The keeper, which enforces the limits of jobs, has ended; starting another.");
    callOffKeeper = clock.after(NEXT_KEEPER_AFTER_MS, () => {
      if (running.size > 0) keeper.keep();
    });
  }

  async function cancel(request: JobRequest): Promise<JobEnd> {
    const { id, job } = request;
    const folder = folderOf(id);
    const end = await unlessDamaged(
      id,
      async () => withUnusedImage(folder, job, await endOfCancelled(id, folder)),
      (lost) => lost,
    );
    await forgetSecrets(id);
    ended(request.id, end);
    return end;
  }

  async function endOfCancelled(id: string, folder: string): Promise<JobEnd> {
    makeFolder(folder);
    if (readRecord(folder).owner === undefined) stateUnclaimed(folder, false);
    if (claimForNobody(folder, clock.now())) return endIn(folder) ?? recordEnd(folder, clock.now());
    if (!endIn(folder)) mark(folder, "cancelled");
    await endTree(options, [id], folder);
    const end = endIn(folder);
    if (end) return end;
    // A killed supervisor records nothing. What it was about to start leaves when it finds this end.
    const last = recordEnd(folder, clock.now());
    await endTree(options, [id], folder);
    return last;
  }

  async function endLeftovers(ids: readonly string[]): Promise<void> {
    const marks = new Set(ids.map((id) => markOfJob(options.hostId, id)));
    const { pids, isWhole } = await findLeftovers(marks);
    // As in endTree, a second look settles what the first could not. It is cheap here; a search of all processes is
    // not.
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
      await Promise.all(ids.map((id) => removeAttempt(folderOf(id), options.removeTree)));
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
  "A job has not started: its record could not be written (is the disk full?), or its slot was killed. " +
  "Trying again until it starts.";
