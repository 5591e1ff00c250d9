import { type Backend, BackendAwayError, type JobRequest, type JobState } from "#backends/backend";
import type { Backends } from "#backends/backends";
import type { Clock } from "#plumbing/clock";
import { crashPoint } from "#plumbing/crash-points";
import { messageOf } from "#plumbing/errors";
import type { Inbox } from "#runner/turn/arrivals";
import type { Capacity, CapacityRequest } from "#runner/jobs/capacity";
import type { Submission } from "#runner/turn/decide";
import { type IssuedJob, jobIdOf } from "#runner/turn/job-id";
import { type JobNotes, createJobNotes } from "#runner/jobs/job-notes";
import { createJobStager, type JobStager, type StagerOptions } from "#runner/jobs/job-stager";
import { jobToEnd } from "#runner/jobs/job-to-end";
import type { EndedJob } from "#runner/turn/record";
import type { RunJournal } from "#runner/turn/run-journal";
import type { UserSecrets } from "#runner/jobs/user-secrets";
import type { JobRecord } from "#store/jobs/jobs";
import type { Run } from "#store/runs/runs";
import { attemptOf, type Job, type JobEnd, withVerdict, resourcesOf } from "#workflow/job/job";
import type { JobSecrets } from "#workflow/people/secret";
import type { Workspace } from "#workspace/workspace";

/**
 * Dispatches the jobs of one run: acquires their share of the host's capacity and hands them to the backend. Their
 * ends, and the shares of those that waited, arrive in the run's inbox.
 */
export interface JobDispatcher {
  /** Acquires a share for each job that can have one immediately. Returns their ids. */
  acquireCapacity(jobs: readonly IssuedJob[]): ReadonlySet<string>;
  /** Queues jobs for capacity. Each arrives as `admitted` when it has its share. */
  enqueue(jobs: readonly IssuedJob[]): void;
  /**
   * Submits recorded jobs. For a job that the backend knows already, this asks for its state. Jobs with files to stage
   * are submitted once these are in place, which is not awaited.
   */
  submit(jobs: readonly Submission[]): Promise<void>;
  /** Forgets what was staged for jobs whose ends are recorded. */
  forgetStaged(jobIds: readonly string[]): void;
  /** Breaks off all staging. Cancels jobs and returns how each ended, after its last process is gone. */
  cancel(jobs: readonly JobRecord[]): Promise<EndedJob[]>;
  /** Ignores further ends, submits nothing more, and releases all capacity. Calls in progress acquire none either. */
  detach(): void;
  /** Resolves when no staging is under way. */
  settled(): Promise<void>;
}

export interface DispatchContext {
  readonly backends: Backends;
  readonly capacity: Capacity;
  readonly workspaces: { of(workspaceId: string): DispatchWorkspace };
  readonly clock: Clock;
  /** If absent, users have none. */
  readonly secrets?: UserSecrets;
  /** Called for each end of a job. */
  readonly noteEnd?: (backend: string, end: JobEnd) => void;
}

type DispatchWorkspace = Pick<Workspace, "folder"> & StagerOptions["workspace"];

interface DispatchOptions {
  readonly inbox: Pick<Inbox, "put" | "fail">;
  /** `assertLease` throws if another server drives the run, which then owns its jobs. */
  readonly journal: Pick<RunJournal, "assertLease" | "note">;
}

/** Limit on concurrent submissions: a cluster responds slowly, and one batch may hold hundreds of jobs. */
const CONCURRENT_MAX = 16;
/** Time after which a job is submitted again to a backend that was away. */
const AWAY_RETRY_MS = 5000;

interface SubmittedJob {
  readonly issued: IssuedJob;
  readonly backend: Backend;
  /** True if the backend has reported anything. The answer to the submission is older then. */
  hasNews: boolean;
}

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
  readonly #submitted = new Map<string, SubmittedJob>();
  /** Ids of jobs that have capacity or wait for it. */
  readonly #requested = new Set<string>();
  /** Cancels the timers of delayed jobs. */
  readonly #delays = new Set<() => void>();
  readonly #stager: JobStager;
  readonly #unwatch: readonly (() => void)[];
  readonly #notes: JobNotes;
  #isDetached = false;

  constructor(context: DispatchContext, run: Run, options: DispatchOptions) {
    this.#context = context;
    this.#run = run;
    this.#options = options;
    const { inbox, journal } = options;
    this.#notes = createJobNotes(journal, (error) => inbox.fail(error));
    this.#unwatch = context.backends.all.map((backend) =>
      backend.watch((id, state) => {
        const submitted = this.#submitted.get(id);
        if (submitted?.backend !== backend) return;
        submitted.hasNews = true;
        this.#onState(submitted, state);
      }),
    );
    this.#stager = createJobStager({
      workspace: context.workspaces.of(run.workspaceId),
      assertLease: () => journal.assertLease(),
      onStaged: (job) => this.#submitStaged(job),
      onRefused: (job, error) =>
        this.#onFailedSubmission(this.#submittedOf(job), this.#requestFor(job), error),
      onFailure: (error) => inbox.fail(error),
    });
  }

  acquireCapacity(jobs: readonly IssuedJob[]): ReadonlySet<string> {
    if (this.#isDetached) return new Set();
    const acquired = jobs.filter((one) => one.job.delayMs === undefined && this.#tryAcquire(one));
    return new Set(acquired.map(({ id }) => id));
  }

  enqueue(jobs: readonly IssuedJob[]): void {
    if (this.#isDetached) return;
    for (const job of jobs) this.#enqueueAfterDelay(job);
  }

  async submit(jobs: readonly Submission[]): Promise<void> {
    if (this.#isDetached || jobs.length === 0) return;
    for (const job of jobs) {
      this.#requested.add(job.id);
      this.#context.capacity.acquire(this.#capacityFor(job));
    }
    for (const job of jobs) if (job.job.stage) this.#stager.stage(job);
    const ready = jobs.filter(({ job }) => !job.stage);
    if (ready.length === 0) return;
    const secrets = await this.#secrets();
    for (let at = 0; at < ready.length && !this.#isDetached; at += CONCURRENT_MAX) {
      const group = ready.slice(at, at + CONCURRENT_MAX);
      await Promise.all(group.map((job) => this.#submitOne(job, secrets)));
    }
  }

  forgetStaged(jobIds: readonly string[]): void {
    this.#stager.forget(jobIds);
  }

  async cancel(jobs: readonly JobRecord[]): Promise<EndedJob[]> {
    this.#stager.breakOff();
    await this.#stager.settled();
    return Promise.all(jobs.map((job) => this.#cancelOne(job)));
  }

  detach(): void {
    this.#isDetached = true;
    this.#notes.close();
    for (const unwatch of this.#unwatch) unwatch();
    this.#stager.breakOff();
    for (const cancelTimer of this.#delays) cancelTimer();
    for (const id of this.#requested) this.#context.capacity.release(id);
    this.#requested.clear();
  }

  settled(): Promise<void> {
    return this.#stager.settled();
  }

  async #submitStaged(job: Submission): Promise<void> {
    if (!this.#isDetached) await this.#submitOne(job, await this.#secrets());
  }

  #secrets(): Promise<JobSecrets | undefined> {
    return Promise.resolve(this.#context.secrets?.maybeForJobs(this.#run.ownerId));
  }

  async #submitOne(submission: Submission, secrets: JobSecrets | undefined): Promise<void> {
    const { id, job, placed } = submission;
    const submitted = this.#submittedOf(submission);
    const { backend } = submitted;
    const request = { ...this.#requestFor(submission), ...(secrets && { secrets }) };
    if (attemptOf(job) > 1) await this.#endLeftoversBefore(job, backend);
    if (this.#isDetached) return;
    this.#submitted.set(id, submitted);
    this.#notes.begin(id, placed);
    try {
      const state = await backend.submit(request);
      crashPoint("job-submitted");
      if (state.status === "ended" || !submitted.hasNews) this.#onState(submitted, state);
    } catch (error) {
      if (error instanceof BackendAwayError) this.#submitLater(submission, error.message);
      else await this.#onFailedSubmission(submitted, request, error);
    }
  }

  /** Submits a job again once its backend may be back. Whether the job has arrived there is unknown. */
  #submitLater(submission: Submission, sentence: string): void {
    if (this.#isDetached) return;
    this.#notes.queued(submission.id, sentence);
    const retry = async () => {
      if (this.#isDetached || !this.#submitted.has(submission.id)) return;
      await this.#options.journal.assertLease();
      await this.#submitStaged(submission);
    };
    const onRing = () => void retry().catch((error: unknown) => this.#options.inbox.fail(error));
    this.#delays.add(this.#context.clock.after(AWAY_RETRY_MS, onRing));
  }

  async #onFailedSubmission(submitted: SubmittedJob, request: JobRequest, error: unknown): Promise<void> {
    const { issued, backend } = submitted;
    this.#submitted.delete(request.id);
    this.#release(request.id);
    if (this.#isDetached) return;
    await this.#options.journal.assertLease();
    // The job must not start unnoticed: cancelling claims it before the run continues.
    const end = await backend.cancel(request);
    this.#report(issued, backend, { ...end, detail: messageOf(error) });
  }

  /** Ends what the previous attempt left in the background. The end of that attempt is recorded already. */
  async #endLeftoversBefore(job: Job, backend: Backend): Promise<void> {
    const before = { key: job.key, attempt: attemptOf(job) - 1 };
    await backend.endLeftovers([jobIdOf(this.#run.id, before)]);
    // Ending it may have taken a while.
    if (!this.#isDetached) await this.#options.journal.assertLease();
  }

  async #cancelOne(row: JobRecord): Promise<EndedJob> {
    const { id, key, attempt } = row;
    this.#submitted.delete(id);
    const end = row.status === "created" ? neverStarted(this.#context.clock) : await this.#endJob(row);
    this.#release(id);
    this.#context.noteEnd?.(row.backend, end);
    return { id, key, ...(attempt > 1 && { attempt }), end };
  }

  #endJob(row: JobRecord): Promise<JobEnd> {
    const request = this.#requestFor({ id: row.id, job: jobToEnd(this.#run.id, row.key), placed: row });
    return this.#context.backends.named(row.backend).cancel(request);
  }

  #onState({ issued, backend }: SubmittedJob, state: JobState): void {
    const { id } = issued;
    if (state.outsideId !== undefined) this.#notes.named(id, state.outsideId);
    if (state.status === "queued") this.#notes.queued(id, state.reason);
    if (state.status === "running") this.#notes.started(id);
    if (state.status !== "ended" || !this.#submitted.delete(id)) return;
    this.#release(id);
    // A name that came with the end is recorded before it, because a job that has ended is not changed any more.
    const noted = this.#notes.maybeWritten();
    if (noted) void noted.then(() => this.#report(issued, backend, state.end));
    else this.#report(issued, backend, state.end);
  }

  #report(issued: IssuedJob, { name }: Backend, end: JobEnd): void {
    if (this.#isDetached) return;
    crashPoint("end-heard");
    this.#context.noteEnd?.(name, end);
    this.#options.inbox.put({
      kind: "job-over",
      over: { ...issued, backend: name, end: withVerdict(issued.job, end) },
    });
  }

  #tryAcquire(job: IssuedJob): boolean {
    const request = this.#capacityFor(job);
    if (!this.#context.capacity.tryAcquire(request)) return false;
    this.#requested.add(request.jobId);
    return true;
  }

  /** Queues the job after its delay. If the server stops during the delay, the next one waits for all of it again. */
  #enqueueAfterDelay(issued: IssuedJob): void {
    const enqueue = () => {
      const request = this.#capacityFor(issued);
      if (this.#isDetached || this.#requested.has(request.jobId)) return;
      this.#requested.add(request.jobId);
      this.#context.capacity.enqueue(request, () =>
        this.#options.inbox.put({ kind: "admitted", job: issued }),
      );
    };
    const { delayMs } = issued.job;
    if (delayMs === undefined) enqueue();
    else this.#delays.add(this.#context.clock.after(delayMs, enqueue));
  }

  #release(id: string): void {
    if (this.#requested.delete(id)) this.#context.capacity.release(id);
  }

  #backendOf({ job, placed }: Submission): Backend {
    const { backends } = this.#context;
    return placed ? backends.named(placed.backend) : backends.forJob(job);
  }

  #submittedOf(submission: Submission): SubmittedJob {
    const { id, job } = submission;
    return { issued: { id, job }, backend: this.#backendOf(submission), hasNews: false };
  }

  #capacityFor(one: Submission): CapacityRequest {
    const usesHost = this.#backendOf(one).isHostBound;
    return { jobId: one.id, ownerId: this.#run.ownerId, resources: resourcesOf(one.job), usesHost };
  }

  #requestFor(submission: Submission): JobRequest {
    const { id, job, placed } = submission;
    const { hostToken } = placed ?? this.#backendOf(submission);
    const outsideId = placed?.outsideId ?? null;
    const workspaceFolder = this.#context.workspaces.of(this.#run.workspaceId).folder;
    const environment = {
      ...job.environment,
      REANA_WORKSPACE: workspaceFolder,
      REANA_WORKFLOW_UUID: this.#run.id,
    };
    const request = { id, job: { ...job, environment }, workspaceFolder, hostToken };
    return outsideId === null ? request : { ...request, outsideId };
  }
}

/** The end of a job that was still waiting for capacity: no backend knows it. */
function neverStarted(clock: Clock): JobEnd {
  return { reason: "not-started", exitCode: null, startedAtMs: null, endedAtMs: clock.now() };
}
