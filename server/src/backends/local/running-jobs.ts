import { existsSync } from "node:fs";
import type { JobListener, JobRequest, JobState } from "#backends/backend";
import type { GpuPool } from "#backends/gpus/gpu-pool";
import type { Containers, Waiting } from "#backends/containers/containers";
import { ImageProblem } from "#backends/containers/image-problem";
import {
  attemptFolder,
  linkWorkspace,
  makeFolder,
  scratchFolder,
} from "#backends/process/attempt/attempt-folder";
import {
  type Attempts,
  cancelAttempt,
  stateOfAttempt,
  unlessDamaged,
} from "#backends/local/attempts/attempt-state";
import type { JobGroups } from "#backends/process/cgroups/job-groups";
import { removeOldSecrets } from "#backends/process/attempt/secret-files";
import { type ImageSettings, maybeStandIn } from "#backends/local/images/image-map";
import { checkCredentials } from "#backends/walls/credentials";
import type { TicketOptions } from "#backends/walls/kerberos/ticket";
import { createJobSlots, type JobSlots } from "#backends/process/slots/job-slots";
import { createKeeper, type Keeper } from "#backends/process/keeper/keeper";
import { orderOf } from "#backends/local/orders/order";
import { checkShellSafe } from "#backends/local/orders/shell-safe";
import type { Wall } from "#backends/walls/wall";
import { crashPoint } from "#plumbing/crash-points";
import { messageOf } from "#plumbing/errors";
import { counted } from "#plumbing/text/counted";
import { gpuShortage, requiredGpus } from "#workflow/job/gpus";
import type { JobEnd } from "#workflow/job/job";

export interface RunningJobsOptions extends Attempts, TicketOptions {
  /** Limit on the output of a job in bytes. A job that prints more is ended. */
  readonly maxOutputBytes: number;
  /** Processes that a job may have at once. Default: as many as the machine allows. */
  readonly maxProcesses?: number | undefined;
  /** Bytes that a job may write to disk. Default: no limit. */
  readonly maxDiskBytes?: number | undefined;
  /** Limit on the number of files in a job's workspace, home and temporary folder. Default: no limit. */
  readonly maxFiles?: number | undefined;
  /** Replaces the time in which podman's monitor has to make a container, in tests. */
  readonly containerSeconds?: number | undefined;
  /** The wall between the jobs and the machine. Absent: they are ordinary processes. */
  readonly wall?: Wall | undefined;
  /** The control groups in which the kernel limits jobs. Optional. */
  readonly groups?: JobGroups | undefined;
  /** Stand-ins for container images. */
  readonly images?: ImageSettings;
  readonly log: { error(details: object, message: string): void };
  /** Runs the jobs that name an image. If absent, jobs run without their images. */
  readonly containers?: Containers | undefined;
  /** GPUs of the machine, if it has any. */
  readonly gpus?: GpuPool | undefined;
}

function presentState({ holder, waitsFor = "" }: RunningJob): JobState {
  return holder === "queue" ? { status: "queued", reason: waitsFor } : { status: "running" };
}

/** Interval between checks of running jobs whose end is not reported: jobs of an earlier server. */
const POLL_INTERVAL_MS = 250;
const NEXT_KEEPER_AFTER_MS = 1000;
/** Interval between looks for free GPUs. */
const NEXT_GRANT_AFTER_MS = 1000;

/** A job without an end. */
interface RunningJob {
  readonly request: JobRequest;
  /**
   * The slot that runs the job.
   *
   * - own-slot: a slot of this server, which reports the end;
   * - other-slot: a slot of another server;
   * - nobody: the job is not claimed, and is ordered again;
   * - queue: the job waits for its image, or for its container's requirements.
   */
  holder: "own-slot" | "other-slot" | "nobody" | "queue";
  /** Reason for the wait, while the job is in the queue. */
  waitsFor?: string;
  /** True if a problem with the job has been logged: each job is logged once. */
  isReported: boolean;
}

/** The jobs of this server without an end. Hands jobs to slots, and notices their ends. */
export class RunningJobs {
  readonly #options: RunningJobsOptions;
  readonly #slots: JobSlots;
  readonly #keeper: Keeper;
  readonly #jobs = new Map<string, RunningJob>();
  readonly #listeners = new Set<JobListener>();
  #cancelPoll: (() => void) | undefined;
  #cancelKeeper: (() => void) | undefined;
  #isClosed = false;

  constructor(options: RunningJobsOptions) {
    this.#options = options;
    this.#slots = createJobSlots(options.folder, options.bootId, () => options.groups?.forSlot());
    this.#keeper = createKeeper(
      options,
      () => this.size > 0,
      (reason) => this.#onKeeperExit(reason),
    );
  }

  get size(): number {
    return this.#jobs.size;
  }

  watch(listener: JobListener): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  expectJobs(): void {
    this.#slots.prepare();
  }

  async submit(request: JobRequest): Promise<JobState> {
    const { id } = request;
    const known = this.#jobs.get(id);
    if (known) return presentState(known);
    checkShellSafe(request);
    // An order of an earlier server holds the credentials, also if the user has removed the secrets.
    if (!existsSync(this.#folderOf(id))) checkCredentials(request);
    const isNew = makeFolder(this.#folderOf(id));
    crashPoint("attempt-made");
    const isUntouched = isNew && request.hostToken === this.#options.bootId;
    const state = isUntouched ? undefined : await stateOfAttempt(this.#options, request);
    if (state?.status === "ended") {
      this.#options.gpus?.release(id);
      return state;
    }
    const other = this.#jobs.get(id);
    if (other) return presentState(other);
    const job: RunningJob = { request, holder: "other-slot", isReported: false };
    this.#jobs.set(id, job);
    this.#keeper.keep();
    if (!state) return this.#orderFirst(job, isNew);
    this.#pollLater();
    return presentState(job);
  }

  /** Reports the end of a job, once. */
  end(id: string, end: JobEnd): void {
    if (!this.#forget(id)) return;
    crashPoint("exit-seen");
    this.#tell(id, { status: "ended", end });
  }

  #tell(id: string, state: JobState): void {
    for (const listener of this.#listeners) listener(id, state);
  }

  close(): void {
    this.#isClosed = true;
    this.#cancelPoll?.();
    this.#cancelKeeper?.();
    this.#slots.close();
    this.#keeper.close();
    this.#listeners.clear();
  }

  #folderOf(id: string): string {
    return attemptFolder(this.#options.folder, id);
  }

  async #orderFirst(job: RunningJob, isNew: boolean): Promise<JobState> {
    const { id, secrets } = job.request;
    const order = async () => {
      // The order of an earlier server may be starting at this moment, with files from that server.
      if (!isNew) removeOldSecrets(this.#folderOf(id), secrets);
      await this.#prepareAndOrder(job);
    };
    try {
      const lost = await this.#orderUnlessDamaged(id, order);
      return lost ? { status: "ended", end: lost } : presentState(job);
    } catch (error) {
      this.#forget(id);
      throw error;
    }
  }

  /** Runs `order`. If the job's files are damaged, reports the job as lost, and returns its end. */
  async #orderUnlessDamaged(id: string, order: () => Promise<void>): Promise<JobEnd | undefined> {
    let lost: JobEnd | undefined;
    await unlessDamaged(this.#options, id, order, (end) => {
      lost = end;
      this.end(id, end);
    });
    return lost;
  }

  async #prepareAndOrder(job: RunningJob): Promise<void> {
    const waiting = await this.#prepare(job.request);
    if (waiting) this.#wait(job, waiting);
    else if (this.#jobs.get(job.request.id) === job) await this.#order(job);
  }

  /** Returns the job's reason to wait. An environment that replaces the image needs no container. */
  async #prepare(request: JobRequest): Promise<Waiting | undefined> {
    const { containers, images } = this.#options;
    if (images && maybeStandIn(images, request.job.image)) return containers?.prepareWithout(request.id);
    return containers?.prepare(request);
  }

  /** Forgets a job, with its prepared container and groups. Returns whether the job was known. */
  #forget(id: string): boolean {
    const wasKnown = this.#jobs.delete(id);
    this.#options.containers?.forget(id);
    this.#options.groups?.remove(id);
    this.#options.gpus?.release(id);
    return wasKnown;
  }

  /** Orders the job at the end of the wait. If the wait fails, the job never starts. */
  #wait(job: RunningJob, { reason, arrives }: Waiting): void {
    job.holder = "queue";
    job.waitsFor = reason;
    void this.#orderAfter(job, arrives);
  }

  async #orderAfter(job: RunningJob, arrives: Waiting["arrives"]): Promise<void> {
    try {
      const next = await arrives;
      if (this.#isClosed || this.#jobs.get(job.request.id) !== job) return;
      if (next) {
        this.#wait(job, next);
        return this.#tell(job.request.id, presentState(job));
      }
      await this.#orderUnlessDamaged(job.request.id, () => this.#order(job));
      if (this.#jobs.get(job.request.id) === job) this.#tell(job.request.id, presentState(job));
    } catch (error) {
      await this.#giveUp(job, error);
    }
  }

  async #giveUp(job: RunningJob, error: unknown): Promise<void> {
    const { id } = job.request;
    if (this.#isClosed || this.#jobs.get(id) !== job) return;
    try {
      const end = await cancelAttempt(this.#options, job.request);
      this.end(id, { ...end, detail: messageOf(error) });
    } catch (fault) {
      this.#report(job, fault, "A job that cannot start could not be cancelled; trying again.");
      job.holder = "nobody";
      this.#pollLater();
    }
  }

  async #order(job: RunningJob): Promise<void> {
    const { request } = job;
    const lacking = this.#takeGpus(request);
    if (lacking) return this.#wait(job, lacking);
    const folder = this.#folderOf(request.id);
    makeFolder(scratchFolder(folder));
    if (this.#options.maxFiles !== undefined) linkWorkspace(folder, request.workspaceFolder);
    const order = orderOf(request, folder, this.#options);
    if (request.secrets) crashPoint("job-secrets-written");
    job.holder = "own-slot";
    await this.#slots.run(order, (hasBegun) => void this.#check(job, hasBegun));
    crashPoint("order-sent");
  }

  /**
   * Takes the GPUs of a job. Returns the reason to wait if too few are free: after a restart with fewer devices, running
   * jobs may hold all of them. Throws if the machine has too few.
   */
  #takeGpus({ id, job }: JobRequest): Waiting | undefined {
    const { gpus, clock } = this.#options;
    const offered = gpus?.gpus.offered.length ?? 0;
    const shortage = gpuShortage("The job", { gpus: requiredGpus(job) }, { maxGpus: () => offered });
    if (shortage !== undefined) throw new Error(shortage);
    const wanted = Math.min(job.resources?.gpus ?? 0, offered);
    if (wanted === 0 || gpus?.grant(id, wanted)) return undefined;
    return {
      reason: `it waits for ${wanted} of ${counted(offered, "GPU")}, which other jobs are using`,
      arrives: new Promise((resolve) => clock.after(NEXT_GRANT_AFTER_MS, () => resolve(undefined))),
    };
  }

  /**
   * Another server may have ordered the job first. A job whose container cannot be prepared any more never
   * starts.
   */
  async #orderAgain(job: RunningJob): Promise<void> {
    const { id } = job.request;
    try {
      await this.#orderUnlessDamaged(id, () => this.#prepareAndOrder(job));
    } catch (error) {
      if (error instanceof ImageProblem) await this.#giveUp(job, error);
      else throw error;
    }
  }

  #pollLater(): void {
    if (this.#isClosed) return;
    this.#cancelPoll ??= this.#options.clock.after(POLL_INTERVAL_MS, () => void this.#poll());
  }

  async #poll(): Promise<void> {
    const unreported = () =>
      [...this.#jobs.values()].filter(({ holder }) => holder === "other-slot" || holder === "nobody");
    await Promise.all(unreported().map((job) => this.#check(job)));
    this.#cancelPoll = undefined;
    if (unreported().length > 0) this.#pollLater();
  }

  /** Reads the state of a job. Reports the job's end, or orders the job again if no slot has it. */
  async #check(job: RunningJob, hasBegun = false): Promise<void> {
    const { request } = job;
    if (this.#isClosed || this.#jobs.get(request.id) !== job) return;
    try {
      const state = await stateOfAttempt(this.#options, request, hasBegun);
      if (state?.status === "ended") return this.end(request.id, state.end);
      if (!state && job.holder === "nobody") return await this.#orderAgain(job);
      if (!state) this.#report(job, undefined, NOT_BEGUN);
      job.holder = state ? "other-slot" : "nobody";
    } catch (error) {
      this.#report(job, error, "The state of a job could not be read; trying again.");
      job.holder = "nobody";
    }
    this.#pollLater();
  }

  #report(job: RunningJob, err: unknown, message: string): void {
    if (!job.isReported) this.#options.log.error({ err, job: job.request.id }, message);
    job.isReported = true;
  }

  #onKeeperExit(reason: string): void {
    if (this.#isClosed || this.size === 0) return;
    const message = "The keeper, which enforces the limits of jobs, has ended; starting another.";
    this.#options.log.error({ reason }, message);
    this.#cancelKeeper = this.#options.clock.after(NEXT_KEEPER_AFTER_MS, () => {
      if (this.size > 0) this.#keeper.keep();
    });
  }
}

const NOT_BEGUN =
  "A job has not started: its record could not be written (is the disk full?), or its slot was killed. " +
  "Trying again until it starts.";
