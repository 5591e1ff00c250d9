import type { Backend } from "#backends/backend";
import { type Ending, type EngineEvent, type Instruction, isAsk } from "#engines/engine";
import type { Clock } from "#plumbing/clock";
import { crashPoint } from "#plumbing/crash-points";
import { EngineFailure, type EngineRuntime, type EngineSession } from "#runner/engine-runtime";
import { engineInput } from "#runner/engine-input";
import { jobIdOf } from "#runner/job-id";
import type { Capacity } from "#runner/capacity";
import {
  type EndedJob,
  type JobStamps,
  batchEvent,
  type BatchEvent,
  submittedIn,
} from "#runner/commit-events";
import { accept, freshProgress, isIdle, note, type Progress, snapshotOf } from "#runner/progress";
import { BEGUN, findResumePoint } from "#runner/replay";
import { type JobDispatcher, createJobDispatcher } from "#runner/job-dispatcher";
import { type FileRequests, createFileRequests } from "#runner/file-requests";
import { maybeResults } from "#runner/run-results";
import { type ChangeDetector, createChangeDetector } from "#runner/change-detector";
import { type RunJournal, createRunJournal } from "#runner/run-journal";
import type { UserSecrets } from "#runner/user-secrets";
import type { Connection } from "#store/database/database";
import { KnownJobError } from "#store/jobs/job-changes";
import { jobPlacesOfRun, type JobRecord, openJobs } from "#store/jobs/jobs";
import type { Lease } from "#store/hosts/leases";
import { nextRunEventSeq } from "#store/events/run-events";
import type { RunSnapshot } from "#store/events/run-snapshots";
import type { Run } from "#store/runs/runs";
import type { Job } from "#workflow/job";
import type { Language } from "#workflow/language";
import type { Results } from "#workflow/results";
import type { RunStatus } from "#workflow/run-status";
import type { FileStamps } from "#workflow/file-stamps";
import { DamagedWorkspace } from "#workspace/safe-path";
import type { Workspaces } from "#workspace/workspaces";

export interface RunnerContext {
  readonly db: Connection;
  readonly clock: Clock;
  /** The host of the jobs, if only one host can see them. */
  readonly hostId: string;
  readonly capacity: Capacity;
  readonly engines: ReadonlyMap<Language, EngineRuntime>;
  readonly backend: Backend;
  readonly workspaces: Pick<Workspaces, "of">;
  readonly bootId: string;
  /** Secrets that users give to their jobs. Absent: users have none. */
  readonly secrets?: UserSecrets;
  /** Default: every 1000 events. */
  readonly snapshotEveryEvents?: number;
}

/** Drives one run from its recorded events to its end. */
export interface RunDriver {
  readonly runId: string;
  /** Ends the run's jobs, then the run. */
  stop(): void;
  /** Records no further event; jobs keep running. Resolves when writes in progress have finished. */
  detach(): Promise<void>;
  /** Resolves when the jobs that were running have their capacity again, or nothing more will be done for them. */
  readonly resumed: Promise<void>;
  /** Resolves when the run has ended. Rejects if driving it failed, and a new driver should try. */
  readonly done: Promise<void>;
}

/** Limit on the events of a replay. A snapshot costs about as much as recording three events. */
const SNAPSHOT_EVERY_EVENTS = 1000;
/** Maximum number of events that are recorded together. */
const BATCH_MAX_EVENTS = 100;

/** Drives a run whose lease the caller has taken. A later lease gives the run to another driver. */
export function driveRun(context: RunnerContext, run: Run, lease: Lease): RunDriver {
  const driver = new Driver(context, run, lease);
  return {
    runId: run.id,
    stop: () => driver.enqueue(() => driver.stop()),
    detach: () => driver.detach(),
    resumed: driver.resumed,
    done: driver.done,
  };
}

/** Drives one run. Everything that changes the run goes through one queue, one task after the other. */
class Driver {
  readonly done: Promise<void>;
  readonly resumed: Promise<void>;
  readonly #context: RunnerContext;
  readonly #run: Run;
  readonly #journal: RunJournal;
  readonly #jobs: JobDispatcher;
  readonly #requests: FileRequests;
  readonly #detector: ChangeDetector;
  /** Events that have arrived and are not recorded yet. */
  readonly #inbox: { readonly event: EngineEvent; readonly stamps: FileStamps | undefined }[] = [];
  /** Jobs whose share of the capacity is not recorded yet. */
  readonly #admitted: Job[] = [];
  /** The run's first event, as long as the run waits to start. */
  #beginning: BatchEvent | undefined;
  #queue: Promise<void>;
  #session: EngineSession | undefined;
  #progress: Progress | undefined;
  #over = false;
  #onResumed!: () => void;
  #settle!: { resolve: () => void; reject: (error: unknown) => void };

  constructor(context: RunnerContext, run: Run, lease: Lease) {
    this.#context = context;
    this.#run = run;
    this.#journal = createRunJournal(context, run.id, lease);
    this.done = new Promise((resolve, reject) => (this.#settle = { resolve, reject }));
    this.resumed = new Promise((resolve) => (this.#onResumed = resolve));
    this.#detector = createChangeDetector({
      workspace: context.workspaces.of(run.workspaceId),
      clock: context.clock,
    });
    this.#requests = createFileRequests(context, run, {
      detector: this.#detector,
      onEvent: (event, stamps) => this.#receive(event, stamps),
      onFailure: (error) => this.enqueue(() => this.#fail(error)),
    });
    this.#jobs = createJobDispatcher(context, run, {
      onEnd: (job, end) => this.#requests.collectEnd(job, end),
      onAdmitted: (job) => this.#onAdmitted(job),
      assertLease: () => this.#journal.assertLease(),
    });
    this.#queue = Promise.resolve();
    this.enqueue(() => this.#open().finally(this.#onResumed));
  }

  enqueue(task: () => Promise<void>): void {
    this.#queue = this.#queue
      .then(() => (this.#over ? undefined : task()))
      .catch((error) => this.#fail(error));
  }

  async detach(): Promise<void> {
    // This cannot wait for the queue: the next driver, perhaps on this very host, acquires capacity for the same jobs.
    this.#jobs.detach();
    this.enqueue(async () => this.#end());
    await this.#queue;
    await this.#requests.settled();
  }

  async #open(): Promise<void> {
    const { db, workspaces, engines } = this.#context;
    if (this.#run.stopRequestedAtMs !== null) return this.stop();
    await workspaces.of(this.#run.workspaceId).create();
    const runtime = engines.get(this.#run.language);
    if (!runtime) return this.#refuse(`This server has no engine for ${this.#run.language} workflows.`);
    const session = await runtime.open(await engineInput({ db, workspaces }, this.#run));
    this.#session = session;
    const resumed = await findResumePoint(db, this.#run, session);
    crashPoint("run-replayed");
    if (resumed.kind === "diverged") return this.#refuse(resumed.reason);
    if (resumed.kind === "begun") return this.#resume(resumed.progress);
    this.#progress = freshProgress(resumed.nextSeq);
    this.#beginning = { kind: BEGUN, body: null, ended: [], instructions: await session.start() };
    await this.#begin(this.#beginning);
  }

  /** Starts the run. While all its first jobs wait for capacity, it has not started: it could do nothing. */
  async #begin(beginning: BatchEvent): Promise<void> {
    const jobs = submittedIn([beginning]);
    const isAllJobs = jobs.length > 0 && beginning.instructions.every(isOrder);
    const admitted = isAllJobs ? this.#jobs.acquireCapacity(jobs) : undefined;
    if (admitted?.size === 0) return this.#jobs.enqueue(jobs);
    this.#beginning = undefined;
    await this.#advance(this.#progress!, [beginning], { moveTo: "running", admitted });
  }

  /** Resumes the run: submits the outstanding jobs again, and answers the outstanding asks. */
  async #resume(progress: Progress): Promise<void> {
    this.#progress = progress;
    if (progress.ending) return this.#endRun(progress.ending);
    const rows = await openJobs(this.#context.db, this.#run.id);
    const running = new Map(
      rows.flatMap((row) => (row.status === "running" ? [[row.key, this.#bootIdOf(row)]] : [])),
    );
    const [begun, waiting] = split([...progress.jobs.values()], (job) => running.has(job.key));
    const submitted = this.#jobs.submit(begun, (key) => running.get(key)!);
    this.#onResumed();
    await submitted;
    this.#jobs.enqueue(waiting);
    // A write must not reach a workspace that was deleted while this server was asleep.
    if (progress.asks.size > 0) await this.#journal.assertLease();
    this.#requests.answer([...progress.asks.values()]);
    if (isIdle(progress)) await this.#refuse(IDLE);
  }

  /**
   * Returns the job's boot. A job from another host gets an id that no boot has, because it cannot be found on this
   * host.
   */
  #bootIdOf({ hostId, bootId }: JobRecord): string {
    return hostId === null || hostId === this.#context.hostId ? bootId : `of ${hostId}`;
  }

  #onAdmitted(job: Job): void {
    this.#admitted.push(job);
    this.enqueue(() => this.#admit());
  }

  async #admit(): Promise<void> {
    const admitted = this.#admitted.splice(0);
    if (this.#beginning) return this.#begin(this.#beginning);
    const jobs = admitted.filter((job) => this.#progress?.jobs.has(job.key));
    if (jobs.length === 0) return;
    await this.#journal.commitAdmission(jobs.map((job) => jobIdOf(this.#run.id, job)));
    await this.#jobs.submit(jobs, () => this.#context.bootId);
  }

  #receive(event: EngineEvent, stamps?: FileStamps): void {
    this.#inbox.push({ event, stamps });
    this.enqueue(() => this.#apply());
  }

  /** Drops events that answer nothing outstanding, and records the rest as one batch. */
  async #apply(): Promise<void> {
    const session = this.#session;
    const progress = this.#progress;
    if (!session || !progress) return;
    const arrived = this.#inbox.splice(0, BATCH_MAX_EVENTS).filter(({ event }) => accept(progress, event));
    if (arrived.length === 0) return;
    const answers = await session.apply(arrived.map(({ event }) => event));
    crashPoint("engine-asked");
    const happened = arrived.map(({ event, stamps }, index) =>
      batchEvent(event, stamps, answers[index] ?? []),
    );
    await this.#advance(progress, happened);
  }

  /** Records first: only what is recorded is carried out. */
  async #advance(
    progress: Progress,
    events: readonly BatchEvent[],
    { moveTo, admitted: known }: { readonly moveTo?: RunStatus; readonly admitted?: Keys | undefined } = {},
  ): Promise<void> {
    const { nextSeq: firstSeq, jobCount: firstOrdinal } = progress;
    for (const event of events) note(progress, event.instructions);
    const snapshot = await this.#snapshotAfter(progress, firstSeq);
    const isWhole = progress.ending !== undefined && progress.jobs.size === 0;
    const ending = isWhole && progress.ending;
    const more = { ...(moveTo && { moveTo }), ...(snapshot && { snapshot }), ...(ending && { ending }) };
    const admitted = known ?? (progress.ending ? NO_KEYS : this.#jobs.acquireCapacity(submittedIn(events)));
    const left = isWhole ? await this.#endLeftovers() : {};
    try {
      await this.#journal.commit({ firstSeq, firstOrdinal, events, admitted, ...more, ...left });
    } catch (error) {
      if (!(error instanceof KnownJobError)) throw error;
      progress.nextSeq = firstSeq;
      return this.#refuse(`The workflow engine issued the job "${error.key}" twice.`);
    }
    await this.#carryOut(progress, events, admitted);
  }

  async #carryOut(progress: Progress, events: readonly BatchEvent[], admitted: Keys): Promise<void> {
    if (progress.ending) {
      return progress.jobs.size === 0 ? this.#end() : this.#endRun(progress.ending);
    }
    const [begun, waiting] = split(submittedIn(events), (job) => admitted.has(job.key));
    this.#jobs.enqueue(waiting);
    await this.#jobs.submit(begun, () => this.#context.bootId);
    this.#requests.answer(events.flatMap((event) => event.instructions).filter(isAsk));
    if (isIdle(progress)) await this.#refuse(IDLE);
  }

  async #snapshotAfter(progress: Progress, firstSeq: number): Promise<RunSnapshot | undefined> {
    const every = this.#context.snapshotEveryEvents ?? SNAPSHOT_EVERY_EVENTS;
    const session = this.#session;
    if (!session || progress.ending) return undefined;
    if (Math.floor(firstSeq / every) === Math.floor(progress.nextSeq / every)) return undefined;
    return snapshotOf(progress, session.version, await session.state());
  }

  async stop(): Promise<void> {
    const line = "The run was stopped.";
    await this.#close("stopped", { moveTo: "stopped" }, [{ do: "log", logger: "root", level: "INFO", line }]);
  }

  /** Ends a run whose engine has decided how it ends while jobs were still running. */
  #endRun(ending: Ending): Promise<void> {
    return this.#close("ended", { ending }, []);
  }

  /** Fails a run that this server cannot continue; nothing is run again. */
  #refuse(reason: string): Promise<void> {
    const ending: Ending = { do: "fail", reason };
    const isNew = this.#run.status === "pending" && this.#progress === undefined;
    const moveTo = isNew ? ({ moveTo: "running" } as const) : {};
    return this.#close("ended", { ending, ...moveTo }, [ending]);
  }

  /** Ends a run that cannot be continued. Any other error is left to a new driver, which tries again. */
  async #fail(error: unknown): Promise<void> {
    const isFinal = error instanceof DamagedWorkspace || error instanceof EngineFailure;
    if (!isFinal || this.#over) return this.#end(error);
    await this.#refuse(error.message).catch((again: unknown) => this.#end(again));
  }

  /** Commits the last batch of a run. Before it, the jobs are ended and proven gone, and open asks are settled. */
  async #close(
    kind: string,
    how: { readonly moveTo?: RunStatus; readonly ending?: Ending },
    instructions: readonly Instruction[],
  ): Promise<void> {
    const { db } = this.#context;
    await this.#journal.assertLease();
    const ended = await this.#jobs.cancel(await openJobs(db, this.#run.id));
    crashPoint("jobs-cancelled");
    const firstSeq = this.#progress?.nextSeq ?? (await nextRunEventSeq(db, this.#run.id));
    const left = await this.#endLeftovers();
    const events = [{ kind, body: { ended }, ended, stamps: await this.#stampsAfter(ended), instructions }];
    await this.#journal.commit({ firstSeq, firstOrdinal: 0, events, admitted: NO_KEYS, ...how, ...left });
    this.#end();
  }

  /** Stamps what the ended jobs have left, because a restart finds it. */
  async #stampsAfter(ended: readonly EndedJob[]): Promise<JobStamps[]> {
    const last = ended.findLast(({ key }) => this.#progress?.jobs.get(key)?.isStamped);
    const stamps = last && (await this.#detector.maybeChanges(last.end).catch(nothingLeft));
    if (!last || !stamps) return [];
    const { end: _, ...job } = last;
    return [{ ...job, stamps }];
  }

  /**
   * Waits for file requests in progress and ends what jobs left in the background, before the run has ended: an ended run is
   * never resumed to do it later, and its files may be deleted. From then on its outputs no longer change.
   */
  async #endLeftovers(): Promise<{ readonly results?: Results }> {
    await this.#requests.settled();
    const jobs = await jobPlacesOfRun(this.#context.db, this.#run.id);
    await this.#context.backend.endLeftovers(jobs.map(({ id }) => id));
    crashPoint("leftovers-ended");
    const results = await maybeResults(this.#context, this.#run);
    crashPoint("results-collected");
    return results ? { results } : {};
  }

  #end(error?: unknown): void {
    if (this.#over) return;
    this.#over = true;
    this.#onResumed();
    this.#jobs.detach();
    this.#requests.detach();
    // If the engine's thread has gone, there is nothing to close.
    this.#session?.close().catch(() => undefined);
    if (error === undefined) this.#settle.resolve();
    else this.#settle.reject(error);
  }
}

/** Ignores that the workspace is gone: then a restart can find nothing in it. */
function nothingLeft(error: unknown): undefined {
  if (!(error instanceof DamagedWorkspace)) throw error;
}

/** An engine must not leave a run in this state: it would wait forever. */
const IDLE = "The workflow engine waits for nothing but has not ended the run.";

/** True for jobs, and for instructions that only describe them. */
function isOrder(instruction: Instruction): boolean {
  return instruction.do === "submit" || instruction.do === "expect" || instruction.do === "log";
}

type Keys = ReadonlySet<string>;
const NO_KEYS: Keys = new Set();

function split<Item>(items: readonly Item[], isFirst: (item: Item) => boolean): [Item[], Item[]] {
  return [items.filter(isFirst), items.filter((item) => !isFirst(item))];
}
