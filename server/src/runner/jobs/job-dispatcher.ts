import { type Backend, BackendAwayError, type JobRequest, type JobState } from "#backends/backend";
import { type Backends, firstQueueReason } from "#backends/backends";
import type { Clock } from "#plumbing/clock";
import { crashPoint } from "#plumbing/crash-points";
import { messageOf } from "#plumbing/errors";
import type { Inbox, ReportedEnd } from "#runner/turn/arrivals";
import type { BackendGates, Passage } from "#runner/jobs/backend-gates";
import type { Capacity, CapacityRequest } from "#runner/jobs/capacity";
import type { Submission } from "#runner/turn/decide";
import { type IssuedJob, jobIdOf } from "#runner/turn/job-id";
import { type JobNotes, createJobNotes, firstNote } from "#runner/jobs/job-notes";
import { createJobStager, type JobStager, type StagerOptions } from "#runner/jobs/job-stager";
import { jobToEnd } from "#runner/jobs/job-to-end";
import type { EndedJob } from "#runner/turn/record";
import type { RunJournal } from "#runner/turn/run-journal";
import { type UserSecrets, withoutSecrets } from "#runner/jobs/user-secrets";
import type { JobRecord } from "#store/jobs/jobs";
import type { Run } from "#store/runs/runs";
import { attemptOf, type Job, type JobEnd, withVerdict, resourcesOf } from "#workflow/job/job";
import type { JobSecrets } from "#workflow/people/secret";
import type { Workspace } from "#workspace/workspace";

/**
 * Dispatches the jobs of one run: acquires their share of the host's capacity and hands the jobs to the
 * backend. Late shares for waiting jobs arrive in the run's inbox.
 */
export interface JobDispatcher {
  /** Acquires a share for each job that fits immediately. Returns the ids of the admitted jobs. */
  acquireCapacity(jobs: readonly IssuedJob[]): ReadonlySet<string>;
  /** Queues jobs for capacity. A job arrives as `admitted` once it has a share. */
  enqueue(jobs: readonly IssuedJob[]): void;
  /**
   * Submits recorded jobs next to the turns of the run: neither a stop nor an end waits for a slow backend. For a job that
   * the backend knows already, this asks for its state. Jobs with files to stage are submitted once these are in place.
   */
  submit(jobs: readonly Submission[]): void;
  /** Sends no further job to a backend, because the run is about to end. */
  stopSubmitting(): void;
  /** Forgets the staged files of jobs whose ends are recorded. */
  forgetStaged(jobIds: readonly string[]): void;
  /**
   * Aborts all staging and submits no further job. Cancels jobs and returns how each ended, after its last
   * process is gone.
   */
  cancel(jobs: readonly JobRecord[]): Promise<EndedJob[]>;
  /**
   * Ignores further ends, submits no further job, and releases all capacity. Calls in progress acquire no
   * capacity either.
   */
  detach(): void;
  /** Resolves when neither a staging nor a submission is under way. */
  settled(): Promise<void>;
}

export interface DispatchContext {
  readonly backends: Backends;
  readonly gates: BackendGates;
  readonly capacity: Capacity;
  readonly workspaces: { of(workspaceId: string): DispatchWorkspace };
  readonly clock: Clock;
  /** If absent, users have no secrets. */
  readonly secrets?: UserSecrets;
  /** Called for each end of a job. */
  readonly noteEnd?: (backend: string, end: JobEnd) => void;
}

type DispatchWorkspace = Pick<Workspace, "folder"> & StagerOptions["workspace"];

interface DispatchOptions {
  readonly inbox: Pick<Inbox, "put" | "fail">;
  /** `assertLease` throws if another server drives the run and owns its jobs. */
  readonly journal: Pick<RunJournal, "assertLease" | "note">;
  /** Called for the end of a submitted job, once for each job. */
  readonly onEnd: (reported: ReportedEnd) => void;
  /** Returns the names of the secrets that no job of the run receives. Optional. */
  readonly withheldSecrets?: () => Promise<ReadonlySet<string>>;
}

/** Time after which the lease is asserted again before a job is submitted, and the user's secrets are read again. */
const CHECK_EVERY_MS = 1000;

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
  /** Ids of jobs with capacity, or waiting for capacity. */
  readonly #requested = new Set<string>();
  /** Ids of jobs that no server has sent to a backend. */
  readonly #unsent = new Set<string>();
  /** Cancels the timers of delayed jobs. */
  readonly #delays = new Set<() => void>();
  readonly #stager: JobStager;
  readonly #passages: ReadonlyMap<Backend, Passage>;
  readonly #notes: JobNotes;
  #checkedAtMs: number;
  #secretsRead: Promise<JobSecrets | undefined> | undefined;
  #isStopped = false;
  #isDetached = false;

  constructor(context: DispatchContext, run: Run, options: DispatchOptions) {
    this.#context = context;
    this.#run = run;
    this.#options = options;
    const { inbox, journal } = options;
    this.#notes = createJobNotes(journal, (error) => inbox.fail(error));
    this.#checkedAtMs = context.clock.elapsedMs();
    this.#passages = new Map(
      context.backends.all.map((backend) => {
        const passage = context.gates.of(backend).open(run.ownerId, (id, state) => this.#hear(id, state));
        return [backend, passage] as const;
      }),
    );
    this.#stager = createJobStager({
      workspace: context.workspaces.of(run.workspaceId),
      assertLease: () => journal.assertLease(),
      onStaged: (job) => this.#queue(job),
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

  submit(jobs: readonly Submission[]): void {
    if (this.#isDetached) return;
    // The jobs were recorded just now, under the lease.
    this.#checkedAtMs = this.#context.clock.elapsedMs();
    this.#secretsRead = undefined;
    for (const job of jobs) {
      this.#requested.add(job.id);
      this.#context.capacity.acquire(this.#capacityFor(job));
    }
    for (const job of jobs) {
      if (job.job.stage) this.#stager.stage(job);
      else this.#queue(job);
    }
  }

  stopSubmitting(): void {
    this.#isStopped = true;
    for (const passage of this.#passages.values()) passage.withdraw();
  }

  forgetStaged(jobIds: readonly string[]): void {
    this.#stager.forget(jobIds);
  }

  async cancel(jobs: readonly JobRecord[]): Promise<EndedJob[]> {
    this.stopSubmitting();
    this.#stager.breakOff();
    await this.settled();
    return Promise.all(jobs.map((job) => this.#cancelOne(job)));
  }

  detach(): void {
    this.#isDetached = true;
    this.#notes.close();
    for (const passage of this.#passages.values()) passage.close();
    this.#stager.breakOff();
    for (const cancelTimer of this.#delays) cancelTimer();
    for (const id of this.#requested) this.#context.capacity.release(id);
    this.#requested.clear();
  }

  async settled(): Promise<void> {
    await this.#stager.settled();
    for (const passage of this.#passages.values()) await passage.settled();
  }

  #hear(id: string, state: JobState): void {
    const submitted = this.#submitted.get(id);
    if (!submitted) return;
    submitted.hasNews = true;
    this.#onState(submitted, state);
  }

  #queue(submission: Submission): void {
    const { id, placed } = submission;
    if (!placed) this.#unsent.add(id);
    this.#passages.get(this.#backendOf(submission))!.queue({
      id,
      isInPlace: typeof placed?.outsideId === "string",
      send: () => this.#send(submission),
      onAway: (sentence) => this.#notes.queued(id, sentence),
    });
  }

  /**
   * Sends a job. If the backend is away, returns a sentence; the backend may or may not have received the
   * job.
   */
  async #send(submission: Submission): Promise<string | undefined> {
    try {
      return await this.#submitOne(submission, await this.#secrets());
    } catch (error) {
      // A new driver tries again.
      this.#options.inbox.fail(error);
      return undefined;
    }
  }

  /** Returns the secrets of the user. After a long wait, asserts the lease and reads the secrets again. */
  #secrets(): Promise<JobSecrets | undefined> {
    const nowMs = this.#context.clock.elapsedMs();
    if (nowMs - this.#checkedAtMs > CHECK_EVERY_MS) {
      this.#checkedAtMs = nowMs;
      this.#secretsRead = this.#options.journal.assertLease().then(() => this.#readSecrets());
    }
    return (this.#secretsRead ??= this.#readSecrets());
  }

  async #readSecrets(): Promise<JobSecrets | undefined> {
    const all = await this.#context.secrets?.maybeForJobs(this.#run.ownerId);
    const withheld = all && (await this.#options.withheldSecrets?.());
    return withheld ? withoutSecrets(all, withheld) : all;
  }

  async #submitOne(submission: Submission, secrets: JobSecrets | undefined): Promise<string | undefined> {
    const { id, job, placed } = submission;
    const submitted = this.#submittedOf(submission);
    const { backend } = submitted;
    const request = { ...this.#requestFor(submission), ...(secrets && { secrets }) };
    if (attemptOf(job) > 1) await this.#endLeftoversBefore(job, backend);
    if (this.#isDetached || this.#isStopped) return undefined;
    this.#unsent.delete(id);
    this.#submitted.set(id, submitted);
    this.#passages.get(backend)!.expect(id);
    this.#notes.begin(id, placed ?? firstNote(firstQueueReason(backend, job)));
    try {
      const state = await backend.submit(request);
      crashPoint("job-submitted");
      if (state.status === "ended" || !submitted.hasNews) this.#onState(submitted, state);
    } catch (error) {
      if (error instanceof BackendAwayError) return error.message;
      await this.#onFailedSubmission(submitted, request, error);
    }
    return undefined;
  }

  async #onFailedSubmission(submitted: SubmittedJob, request: JobRequest, error: unknown): Promise<void> {
    const { issued, backend } = submitted;
    this.#submitted.delete(request.id);
    this.#passages.get(backend)!.forget(request.id);
    this.#release(request.id);
    if (this.#isDetached) return;
    await this.#options.journal.assertLease();
    // The job must not start unnoticed: cancelling claims it before the run continues.
    const end = await backend.cancel(request);
    this.#report(issued, backend, { ...end, detail: messageOf(error) });
  }

  /** Ends background processes of the previous attempt, whose end is recorded already. */
  async #endLeftoversBefore(job: Job, backend: Backend): Promise<void> {
    const before = { key: job.key, attempt: attemptOf(job) - 1 };
    await backend.endLeftovers([jobIdOf(this.#run.id, before)]);
    // Ending the earlier attempt may have taken a while.
    if (!this.#isDetached) await this.#options.journal.assertLease();
  }

  async #cancelOne(row: JobRecord): Promise<EndedJob> {
    const { id, key, attempt } = row;
    this.#submitted.delete(id);
    const isKnownNowhere = row.status === "created" || this.#unsent.has(id);
    const end = isKnownNowhere ? neverStarted(this.#context.clock) : await this.#endJob(row);
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
    if (state.status === "running") this.#notes.started(id, state);
    if (state.status !== "ended" || !this.#submitted.delete(id)) return;
    this.#passages.get(backend)!.forget(id);
    this.#release(id);
    // A name that came with the end is recorded before the end, because an ended job no longer changes.
    const noted = this.#notes.maybeWritten();
    if (noted) void noted.then(() => this.#report(issued, backend, state.end));
    else this.#report(issued, backend, state.end);
  }

  #report(issued: IssuedJob, { name }: Backend, end: JobEnd): void {
    if (this.#isDetached) return;
    crashPoint("end-heard");
    this.#context.noteEnd?.(name, end);
    this.#options.onEnd({ ...issued, backend: name, end: withVerdict(issued.job, end) });
  }

  #tryAcquire(job: IssuedJob): boolean {
    const request = this.#capacityFor(job);
    if (!this.#context.capacity.tryAcquire(request)) return false;
    this.#requested.add(request.jobId);
    return true;
  }

  /**
   * Queues the job after its delay. If the server stops during the delay, the next server starts the full
   * delay again.
   */
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
    else this.#after(delayMs, enqueue);
  }

  #after(ms: number, callback: () => void): void {
    const cancelTimer = this.#context.clock.after(ms, () => {
      this.#delays.delete(cancelTimer);
      callback();
    });
    this.#delays.add(cancelTimer);
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
    const { id: runId, ownerId } = this.#run;
    return { jobId: one.id, runId, ownerId, resources: resourcesOf(one.job), usesHost };
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

/** The end of a job that was still waiting for capacity or for its turn, and is unknown to every backend. */
function neverStarted(clock: Clock): JobEnd {
  return { reason: "not-started", exitCode: null, startedAtMs: null, endedAtMs: clock.now() };
}
