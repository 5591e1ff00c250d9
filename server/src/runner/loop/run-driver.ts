import type { Backends } from "#backends/backends";
import type { EngineEvent } from "#engines/engine";
import { UNLIMITED } from "#engines/outstanding";
import type { Clock } from "#plumbing/clock";
import { crashPoint } from "#plumbing/crash-points";
import { Refusal } from "#plumbing/errors";
import { type Arrival, createInbox, type Inbox, Interrupted } from "#runner/turn/arrivals";
import type { BackendGates } from "#runner/jobs/backend-gates";
import type { Capacity } from "#runner/jobs/capacity";
import { createChangeDetector } from "#runner/files/change-detector";
import { closeRun, type RunParts } from "#runner/loop/close-run";
import { type Closing, closingRefused } from "#runner/turn/closing";
import {
  collectResponses,
  decide,
  type Decision,
  type Orders,
  type Placed,
  resume,
} from "#runner/turn/decide";
import { EngineFailure, type EngineRuntime, type EngineSession } from "#runner/engine/engine-runtime";
import { createFileRequests } from "#runner/files/file-requests";
import { maybeFoundFiles } from "#runner/files/intermediates";
import type { InputParts } from "#runner/inputs/fetch-inputs";
import { fetchUnlessEnding } from "#runner/inputs/fetch-unless-ending";
import { maybeUnread } from "#runner/files/unread-files";
import { createJobDispatcher } from "#runner/jobs/job-dispatcher";
import { type Responses, withJobIds } from "#runner/turn/job-id";
import { createJobRefusals } from "#runner/jobs/refused-jobs";
import { maybeReadRun, type ReadRun, type RunFacts } from "#runner/loop/read-run";
import { freshProgress, type Progress } from "#runner/turn/progress";
import { withheldSecrets } from "#workflow/specification/output-destination";
import type { RemoteInput } from "#workflow/specification/remote-inputs";
import { BEGUN } from "#workflow/run/event-kinds";
import { emptyRecord, type RecordedEvent } from "#runner/turn/record";
import { findResumePoint } from "#runner/loop/replay";
import { createRunJournal } from "#runner/turn/run-journal";
import { sift, type Sifted } from "#runner/turn/sift";
import { isSnapshotDue, snapshotOf, withSnapshot } from "#runner/loop/snapshots";
import type { UserSecrets } from "#runner/jobs/user-secrets";
import type { Connection } from "#store/database/database";
import { KnownJobError } from "#store/jobs/new-jobs";
import { type JobRecord, openJobs } from "#store/jobs/jobs";
import type { Lease } from "#store/hosts/leases";
import { nextRunEventSeq } from "#store/events/run-events";
import type { RunSnapshot } from "#store/events/run-snapshots";
import { oneDefinition, type Run } from "#store/runs/runs";
import type { DataStore } from "#workflow/data-store";
import type { JobEnd } from "#workflow/job/job";
import type { Language } from "#workflow/language";
import { DamagedWorkspace } from "#workspace/safe-path";
import type { Workspaces } from "#workspace/workspaces";

export interface RunnerContext {
  readonly db: Connection;
  readonly clock: Clock;
  /** Id of this host, which holds the leases and the jobs visible only here. */
  readonly hostId: string;
  readonly capacity: Capacity;
  readonly engines: ReadonlyMap<Language, EngineRuntime>;
  readonly backends: Backends;
  readonly gates: BackendGates;
  readonly workspaces: Pick<Workspaces, "of">;
  /**
   * Returns the patterns of the images that policies allow a user, or null if no policy limits images. Absent
   * in a server without policies.
   */
  readonly allowedImagesOf?: (userId: string) => Promise<readonly string[] | null>;
  /** Secrets of users for their jobs. Optional. */
  readonly secrets?: UserSecrets;
  /** Fetches remote inputs. Optional. */
  readonly inputs?: InputParts;
  /** Publishes outputs. Optional. */
  readonly outputStore?: DataStore;
  /** Called for each end of a job. If absent, ends are not counted. */
  readonly noteEnd?: (backend: string, end: JobEnd) => void;
  /** Minimum number of events between two snapshots. Default: 1000. */
  readonly snapshotEveryEvents?: number;
}

/** Drives a run from its recorded events to the end. */
export interface RunDriver {
  readonly runId: string;
  readonly ownerId: string;
  /** Returns whether the run waits to begin, because no first job has a share of cores and memory. */
  awaitsCapacity(): boolean;
  /** Ends the jobs of the run, then the run. */
  stop(): void;
  /** Ends the jobs of the run, then fails the run for the given reason. */
  fail(reason: string): void;
  /** Records no further event; jobs keep running. Resolves when writes in progress have finished. */
  detach(): Promise<void>;
  /** Resolves when the previously running jobs have their capacity again, or will never need capacity. */
  readonly resumed: Promise<void>;
  /** Resolves when the run has ended. Rejects if driving it failed, and a new driver should try. */
  readonly done: Promise<void>;
}

/** Maximum number of arrivals that are recorded together. */
const BATCH_MAX_ARRIVALS = 100;

/** Drives a run whose lease the caller has taken. A later lease gives the run to another driver. */
export function driveRun(context: RunnerContext, run: Run, lease: Lease): RunDriver {
  return new Driver(context, run, lease);
}

/**
 * Drives one run in consecutive turns. A turn takes the arrivals, decides, records the decision and carries
 * out the orders. Results arrive in the inbox for a later turn.
 */
class Driver implements RunDriver {
  readonly runId: string;
  readonly ownerId: string;
  readonly resumed: Promise<void>;
  readonly done: Promise<void>;
  readonly #context: RunnerContext;
  readonly #run: Run;
  readonly #lease: Lease;
  readonly #inbox = createInbox();
  readonly #parts: RunParts;
  readonly #maybeRefusal: ReturnType<typeof createJobRefusals>;
  #progress: Progress;
  /** Set when the run is opened. */
  #facts: RunFacts | undefined;
  #session: EngineSession | undefined;

  constructor(context: RunnerContext, run: Run, lease: Lease) {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.runId = run.id;
    this.ownerId = run.ownerId;
    this.#context = context;
    this.#run = run;
    this.#lease = lease;
    const takeEngineMs = () => this.#session?.takeUsedMs() ?? 0;
    this.#parts = openParts(context, run, { lease, inbox: this.#inbox, takeEngineMs });
    this.#maybeRefusal = createJobRefusals(context, run.ownerId);
    this.#progress = { ...freshProgress(run.id, 0), isBegun: run.status !== "pending" };
    this.resumed = promise;
    this.done = this.#drive(resolve);
  }

  awaitsCapacity(): boolean {
    return this.#progress.beginning !== undefined;
  }

  stop(): void {
    this.#parts.jobs.stopSubmitting();
    this.#inbox.put({ kind: "stop" });
  }

  fail(reason: string): void {
    this.#parts.jobs.stopSubmitting();
    this.#inbox.put({ kind: "hopeless", reason });
  }

  async detach(): Promise<void> {
    // The detachment cannot wait for the turn: the next driver, perhaps on this very host, acquires capacity
    // for the same jobs.
    this.#parts.jobs.detach();
    this.#inbox.close();
    await this.done.catch(() => undefined);
    await this.#parts.requests.settled();
  }

  async #drive(onResumed: () => void): Promise<void> {
    try {
      await unlessInterrupted(this.#open(onResumed).finally(onResumed));
      const take = () => this.#inbox.take(BATCH_MAX_ARRIVALS);
      for (let arrived = await take(); arrived.length > 0; arrived = await take()) {
        await unlessInterrupted(this.#turn(arrived));
      }
    } catch (error) {
      // A new driver retries after any other error.
      if (!(error instanceof DamagedWorkspace || error instanceof EngineFailure)) throw error;
      await this.#close(this.#progress, closingRefused(this.#progress, error.message));
    } finally {
      await this.#release();
    }
  }

  async #turn(arrived: readonly Arrival[]): Promise<void> {
    const sifted = sift(this.#progress, arrived);
    const limit = this.#facts?.limit ?? UNLIMITED;
    const considered = collectResponses(sifted, await this.#ask(sifted), limit);
    const refusal = await this.#maybeRefusal(considered.toStart);
    if (refusal !== undefined) return this.#close(this.#progress, closingRefused(this.#progress, refusal));
    const granted = this.#parts.jobs.acquireCapacity(considered.toStart);
    await this.#commitAndCarryOut(decide(considered, granted));
  }

  /** Returns the engine's response to each event. */
  async #ask({ progress, happened }: Sifted): Promise<Responses> {
    const session = this.#session;
    if (!session || happened.length === 0) return [];
    if (happened[0]!.kind === BEGUN) {
      return progress.beginning ? [progress.beginning] : withJobIds(this.runId, [await session.start()]);
    }
    const responses = await session.apply(happened.map(({ body }) => body as EngineEvent));
    crashPoint("engine-asked");
    return withJobIds(this.runId, responses);
  }

  /** Records first, because only a recorded decision is carried out. */
  async #commitAndCarryOut({ progress, record, orders, closing }: Decision): Promise<void> {
    const snapshot = record && (await this.#maybeSnapshot(progress));
    try {
      if (record) await this.#parts.journal.commit({ ...record, snapshot });
      if (closing) return await this.#close(progress, closing);
    } catch (error) {
      if (!(error instanceof KnownJobError)) throw error;
      const reason = `The workflow engine issued the job "${error.key}" twice.`;
      return this.#close(this.#progress, closingRefused(this.#progress, reason));
    }
    this.#progress = snapshot ? withSnapshot(progress, snapshot) : progress;
    if (record) this.#parts.jobs.forgetStaged(record.ended.map(({ id }) => id));
    this.#carryOut(orders);
    await this.#remove(orders.release);
  }

  /** Records the removal of files in a run that keeps its outputs only, then starts the removal. */
  async #remove(paths: readonly string[]): Promise<void> {
    const keepRequest = this.#facts?.keepRequest;
    if (!keepRequest || paths.length === 0) return;
    const unread = await maybeUnread(this.#context, this.#run, keepRequest, paths);
    if (!unread) return;
    await this.#recordAlone(unread.event);
    crashPoint("unread-recorded");
    this.#parts.requests.remove(unread);
  }

  /** Records an event unknown to the engine, in a separate transaction. */
  async #recordAlone(event: RecordedEvent): Promise<void> {
    await this.#parts.journal.commit({ ...emptyRecord(this.#progress), events: [event] });
    this.#progress = { ...this.#progress, nextSeq: this.#progress.nextSeq + 1 };
  }

  #carryOut({ submit, enqueue, answer }: Orders): void {
    const { jobs, requests } = this.#parts;
    jobs.enqueue(enqueue);
    jobs.submit(submit);
    requests.answer(answer);
  }

  async #close(progress: Progress, closing: Closing): Promise<void> {
    await closeRun(this.#context, this.#run, {
      progress,
      parts: this.#parts,
      closing,
      keepRequest: this.#facts?.keepRequest,
      declared: this.#facts?.declared,
      destination: this.#facts?.destination,
      lease: this.#lease,
      inbox: this.#inbox,
    });
    this.#inbox.close();
  }

  async #open(onResumed: () => void): Promise<void> {
    const { db } = this.#context;
    const run = this.#run;
    this.#progress = { ...this.#progress, nextSeq: await nextRunEventSeq(db, run.id) };
    if (run.stopRequestedAtMs !== null) return this.stop();
    const read = await maybeReadRun(this.#context, run);
    if (!read) return this.fail(`This server has no engine for ${run.language} workflows.`);
    this.#facts = read.facts;
    const session = await this.#openSession(read);
    const resumed = await findResumePoint(db, run, session);
    crashPoint("run-replayed");
    if (resumed.kind === "diverged") return this.fail(resumed.reason);
    if (resumed.kind === "fresh") {
      await this.#fetchInputs(read.facts.remoteInputs);
      return this.#begin();
    }
    await this.#resume(resumed.progress, onResumed);
  }

  /** Opens the engine. A call that is in progress does not delay the end of the run. */
  async #openSession({ runtime, input }: ReadRun): Promise<EngineSession> {
    const opening = new AbortController();
    const { ownerId } = this;
    try {
      const opened = runtime.open(input, { ownerId, signal: opening.signal });
      this.#session = interruptible(await this.#inbox.unlessEnding(opened), this.#inbox);
      return this.#session;
    } catch (error) {
      opening.abort();
      throw error;
    }
  }

  /** Fetches the inputs that are addresses. A stop ends the fetch; a refusal fails the run. */
  async #fetchInputs(inputs: readonly RemoteInput[]): Promise<void> {
    if (inputs.length === 0) return;
    const fetched = await fetchUnlessEnding(this.#context, this.#run, {
      inputs,
      lease: this.#lease,
      inbox: this.#inbox,
      assertLease: () => this.#parts.journal.assertLease(),
    });
    if (fetched instanceof Refusal) this.fail(fetched.message);
    else if (fetched) await this.#recordAlone(fetched);
  }

  async #begin(): Promise<void> {
    const found = this.#facts?.keepRequest && (await maybeFoundFiles(this.#context, this.#run));
    if (found) await this.#recordAlone(found);
    this.#inbox.put({ kind: "begin" });
  }

  /** Submits the outstanding jobs again, and answers the outstanding asks. */
  async #resume(replayed: Progress, onResumed: () => void): Promise<void> {
    const open = await openJobs(this.#context.db, this.runId);
    const submitted = open.filter(({ status }) => status !== "created");
    const placed = new Map(submitted.map((row) => [row.id, this.#placedOf(row)]));
    const { progress, orders, closing } = resume(replayed, placed);
    this.#progress = progress;
    if (closing) return this.#close(progress, closing);
    this.#carryOut({ ...orders, answer: [] });
    onResumed();
    // A write must not reach a workspace that was deleted while this server was suspended.
    if (orders.answer.length > 0) await this.#parts.journal.assertLease();
    this.#parts.requests.answer(orders.answer);
  }

  /** Returns where a job went. A job of another host gets a token that no backend has issued: it cannot be found here. */
  #placedOf(row: JobRecord): Placed {
    const { hostId, backend, hostToken, outsideId, queueReason, concern, startedAtMs } = row;
    const isHere = hostId === null || hostId === this.#context.hostId;
    const note = { outsideId, queueReason, concern, startedAtMs };
    return { ...note, backend, hostToken: isHere ? hostToken : `of ${hostId}` };
  }

  async #maybeSnapshot(after: Progress): Promise<RunSnapshot | undefined> {
    const session = this.#session;
    if (!session || after.ending || !isSnapshotDue(after, this.#context.snapshotEveryEvents))
      return undefined;
    return snapshotOf(after, session.version, await session.state());
  }

  async #release(): Promise<void> {
    this.#parts.jobs.detach();
    this.#parts.requests.detach();
    this.#inbox.close();
    // If the engine's process has ended, closing the session fails.
    this.#session?.close().catch(() => undefined);
    // The next driver stages the same files.
    await this.#parts.jobs.settled();
  }
}

/** Returns the session with calls that the end of the run interrupts. */
function interruptible(session: EngineSession, { unlessEnding }: Inbox): EngineSession {
  return {
    ...session,
    start: () => unlessEnding(session.start()),
    apply: (events) => unlessEnding(session.apply(events)),
    restore: (state) => unlessEnding(session.restore(state)),
    state: () => unlessEnding(session.state()),
  };
}

/**
 * Waits for work that a stop may interrupt. Interrupted work has recorded no event, and the stop is in the
 * inbox.
 */
async function unlessInterrupted(work: Promise<void>): Promise<void> {
  try {
    await work;
  } catch (error) {
    if (!(error instanceof Interrupted)) throw error;
  }
}

interface PartsOptions {
  readonly lease: Lease;
  readonly inbox: Inbox;
  readonly takeEngineMs: () => number;
}

function openParts(context: RunnerContext, run: Run, { lease, inbox, takeEngineMs }: PartsOptions): RunParts {
  const journal = createRunJournal(context, run.id, lease, takeEngineMs);
  const workspace = context.workspaces.of(run.workspaceId);
  const detector = createChangeDetector({ workspace, clock: context.clock });
  const requests = createFileRequests(context, run, {
    detector,
    inbox,
    assertLease: () => journal.assertLease(),
  });
  const jobs = createJobDispatcher(context, run, {
    inbox,
    journal,
    onEnd: (reported) => requests.collect(reported),
    withheldSecrets: async () => withheldSecrets((await oneDefinition(context.db, run.id)).specification),
  });
  return { journal, detector, requests, jobs };
}
