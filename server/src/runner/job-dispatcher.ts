import type { Backend, JobRequest } from "#backends/backend";
import type { Clock } from "#plumbing/clock";
import { crashPoint } from "#plumbing/crash-points";
import { messageOf } from "#plumbing/errors";
import { jobIdOf } from "#runner/job-id";
import type { CapacityRequest, Capacity } from "#runner/capacity";
import type { UserSecrets } from "#runner/user-secrets";
import type { EndedJob } from "#runner/commit-events";
import type { JobRecord } from "#store/jobs/jobs";
import type { Run } from "#store/runs/runs";
import { attemptOf, type Job, type JobEnd, resourcesOf } from "#workflow/job";
import type { JobSecrets } from "#workflow/secret";
import type { WorkspaceFolders } from "#workspace/workspaces";

/** Dispatches the jobs of one run: acquires their share of the host's capacity and hands them to the backend. */
export interface JobDispatcher {
  /** Acquires a share for each job that can have one immediately. Returns their keys. */
  acquireCapacity(jobs: readonly Job[]): ReadonlySet<string>;
  /** Queues jobs for capacity. Each is reported by `onAdmitted` when it has its share. */
  enqueue(jobs: readonly Job[]): void;
  /** Submits recorded jobs. For a job that the backend knows already, this asks for its state. */
  submit(jobs: readonly Job[], bootIdOf: (key: string) => string): Promise<void>;
  /** Cancels jobs and returns how each ended, after its last process is gone. */
  cancel(jobs: readonly JobRecord[]): Promise<EndedJob[]>;
  /** Ignores further ends, submits nothing more, and releases all capacity. Calls in progress acquire none either. */
  detach(): void;
}

export interface DispatchContext {
  readonly backend: Backend;
  readonly capacity: Capacity;
  readonly workspaces: WorkspaceFolders;
  readonly clock: Clock;
  /** Absent: users have none. */
  readonly secrets?: UserSecrets;
}

interface DispatchOptions {
  readonly onEnd: (job: Job, end: JobEnd) => void;
  /** Called when the job has its share of the capacity. It may be submitted once that is recorded. */
  readonly onAdmitted: (job: Job) => void;
  /** Throws if another server drives the run, which then owns its jobs. */
  readonly assertLease: () => Promise<void>;
}

/** Limit on concurrent submissions: a cluster responds slowly, and one batch may hold hundreds of jobs. */
const CONCURRENT_MAX = 16;

export function createJobDispatcher(
  context: DispatchContext,
  run: Run,
  options: DispatchOptions,
): JobDispatcher {
  return new Dispatcher(context, run, options);
}

class Dispatcher implements JobDispatcher {
  readonly #context: DispatchContext;
  readonly #run: Run;
  readonly #options: DispatchOptions;
  readonly #submitted = new Map<string, Job>();
  /** Ids of jobs that have capacity or wait for it. */
  readonly #admitted = new Set<string>();
  /** Cancels the timers of delayed jobs. */
  readonly #delays = new Set<() => void>();
  readonly #unwatch: () => void;
  #isDetached = false;

  constructor(context: DispatchContext, run: Run, options: DispatchOptions) {
    this.#context = context;
    this.#run = run;
    this.#options = options;
    this.#unwatch = context.backend.watch((id, state) => {
      if (state.status === "ended") this.#onBackendEnd(id, state.end);
    });
  }

  acquireCapacity(jobs: readonly Job[]): ReadonlySet<string> {
    if (this.#isDetached) return new Set();
    const acquired = jobs.filter((job) => job.delayMs === undefined && this.#tryAcquire(job));
    return new Set(acquired.map((job) => job.key));
  }

  enqueue(jobs: readonly Job[]): void {
    if (this.#isDetached) return;
    for (const job of jobs) this.#enqueueAfterDelay(job);
  }

  async submit(jobs: readonly Job[], bootIdOf: (key: string) => string): Promise<void> {
    if (this.#isDetached || jobs.length === 0) return;
    for (const job of jobs) {
      this.#admitted.add(this.#idOf(job));
      this.#context.capacity.acquire(this.#capacityFor(job));
    }
    const secrets = await this.#context.secrets?.maybeForJobs(this.#run.ownerId);
    for (let at = 0; at < jobs.length && !this.#isDetached; at += CONCURRENT_MAX) {
      const group = jobs.slice(at, at + CONCURRENT_MAX);
      await Promise.all(group.map((job) => this.#submitOne(job, bootIdOf(job.key), secrets)));
    }
  }

  cancel(jobs: readonly JobRecord[]): Promise<EndedJob[]> {
    return Promise.all(jobs.map((job) => this.#cancelOne(job)));
  }

  detach(): void {
    this.#isDetached = true;
    this.#unwatch();
    for (const cancelTimer of this.#delays) cancelTimer();
    for (const id of this.#admitted) this.#context.capacity.release(id);
    this.#admitted.clear();
  }

  async #submitOne(job: Job, bootId: string, secrets: JobSecrets | undefined): Promise<void> {
    const request = { ...this.#requestFor(job, bootId), ...(secrets && { secrets }) };
    if (attemptOf(job) > 1) await this.#endLeftoversBefore(job);
    if (this.#isDetached) return;
    this.#submitted.set(request.id, job);
    try {
      const state = await this.#context.backend.submit(request);
      crashPoint("job-submitted");
      if (state.status === "ended") this.#onBackendEnd(request.id, state.end);
    } catch (error) {
      await this.#onFailedSubmission(job, request, error);
    }
  }

  async #onFailedSubmission(job: Job, request: JobRequest, error: unknown): Promise<void> {
    this.#submitted.delete(request.id);
    this.#release(request.id);
    if (this.#isDetached) return;
    await this.#options.assertLease();
    // The job must not start unnoticed: cancelling claims it before the run continues.
    const end = await this.#context.backend.cancel(request);
    this.#options.onEnd(job, { ...end, detail: messageOf(error) });
  }

  /** Ends what the previous attempt left in the background. The end of that attempt is recorded already. */
  async #endLeftoversBefore(job: Job): Promise<void> {
    await this.#context.backend.endLeftovers([
      jobIdOf(this.#run.id, { key: job.key, attempt: attemptOf(job) - 1 }),
    ]);
    // Ending it may have taken a while.
    if (!this.#isDetached) await this.#options.assertLease();
  }

  async #cancelOne(row: JobRecord): Promise<EndedJob> {
    const { backend, clock } = this.#context;
    const request = this.#requestFor(jobOf(row), row.bootId);
    this.#submitted.delete(request.id);
    const end = row.status === "created" ? neverStarted(clock) : await backend.cancel(request);
    this.#release(request.id);
    return { key: row.key, ...(row.attempt > 1 && { attempt: row.attempt }), end };
  }

  #onBackendEnd(id: string, end: JobEnd): void {
    const job = this.#submitted.get(id);
    if (!this.#submitted.delete(id)) return;
    this.#release(id);
    this.#options.onEnd(job!, end);
  }

  #tryAcquire(job: Job): boolean {
    const request = this.#capacityFor(job);
    if (!this.#context.capacity.tryAcquire(request)) return false;
    this.#admitted.add(request.jobId);
    return true;
  }

  /** Queues the job after its delay. If the server stops during the delay, the next one waits for all of it again. */
  #enqueueAfterDelay(job: Job): void {
    const enqueue = () => {
      const request = this.#capacityFor(job);
      if (this.#isDetached || this.#admitted.has(request.jobId)) return;
      this.#admitted.add(request.jobId);
      this.#context.capacity.enqueue(request, () => this.#options.onAdmitted(job));
    };
    if (job.delayMs === undefined) enqueue();
    else this.#delays.add(this.#context.clock.after(job.delayMs, enqueue));
  }

  #release(id: string): void {
    if (this.#admitted.delete(id)) this.#context.capacity.release(id);
  }

  #idOf(job: Job): string {
    return jobIdOf(this.#run.id, job);
  }

  #capacityFor(job: Job): CapacityRequest {
    return { jobId: this.#idOf(job), ownerId: this.#run.ownerId, resources: resourcesOf(job) };
  }

  #requestFor(job: Job, bootId: string): JobRequest {
    const workspaceFolder = this.#context.workspaces.of(this.#run.workspaceId).folder;
    const environment = {
      ...job.environment,
      REANA_WORKSPACE: workspaceFolder,
      REANA_WORKFLOW_UUID: this.#run.id,
    };
    return { id: this.#idOf(job), job: { ...job, environment }, workspaceFolder, hostToken: bootId };
  }
}

/** The end of a job that was still waiting for capacity: no backend knows it. */
function neverStarted(clock: Clock): JobEnd {
  return { reason: "not-started", exitCode: null, startedAtMs: null, endedAtMs: clock.now() };
}

/** Returns the part of a job that a backend needs to end it. */
function jobOf(row: JobRecord): Job {
  return {
    key: row.key,
    attempt: row.attempt,
    name: row.name,
    command: { script: row.command },
    displayCommand: row.command,
    image: row.image,
    environment: {},
  };
}
