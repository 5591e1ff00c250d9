import { setImmediate } from "node:timers/promises";
import { BackendAwayError, type JobListener, type JobRequest, type JobState } from "#backends/backend";
import { LateFiles } from "#backends/record/late-files";
import type { Awaited } from "#backends/record/order";
import { type Finding, judge } from "#backends/record/evidence";
import { idOfJob, type Listing, nameOfJob, type Place } from "#backends/record/place";
import { concernOf, runningState, shownFinding } from "#backends/record/running-state";
import type { Records } from "#backends/record/records";
import { maySkip, noteWaiting, type TrackedJob } from "#backends/record/tracked-job";
import type { Clock } from "#plumbing/clock";
import { messageOf } from "#plumbing/errors";
import type { JobEnd } from "#workflow/job/job";

export interface WatchTimes {
  /** Interval between looks for news in the folder of records. */
  readonly newsMs: number;
  /** Interval between listings of the cluster. */
  readonly listMs: number;
  /** A job counts as lost if a second listing, this much later, still says so: a shared disk shows files late. */
  readonly doubtMs: number;
  /** How long a file on the shared disk may stay invisible on another machine. Network file systems remember for a minute. */
  readonly visibleMs: number;
}

const TIMES: WatchTimes = { newsMs: 200, listMs: 2000, doubtMs: 10_000, visibleMs: 90_000 };

/** How long the end of a job waits for the digest of its image, which a node tells within a second or two. */
const IMAGE_MAX_MS = 10_000;

/** Number of jobs that are judged before other work gets its turn. */
const JUDGED_AT_ONCE = 200;

/** Number of times that a job is sent again. A cluster that forgets more often has a fault of its own. */
const SENT_AGAIN_MAX = 3;

interface WatchOptions {
  readonly records: Records;
  readonly place: Place;
  readonly clock: Clock;
  readonly log: { error(details: object, message: string): void };
  readonly times?: Partial<WatchTimes>;
}

/** Watches the jobs of this server: records for starts and ends, and one listing for all of them. */
export class Watch {
  readonly #options: WatchOptions;
  readonly #times: WatchTimes;
  readonly #jobs = new Map<string, TrackedJob>();
  readonly #listeners = new Set<JobListener>();
  readonly #late: LateFiles;
  /** The numbers of jobs to end in the cluster, by one call for all, and the name of each job. */
  readonly #toEnd = new Map<string, string>();
  #cancelNews: (() => void) | undefined;
  #cancelList: (() => void) | undefined;
  #isListing = false;
  /** Number of judgements so far. */
  #judged = 0;
  #isClosed = false;
  /** The cluster of the newest listing, or of the first one while it is read. */
  #cluster: Promise<string | undefined> | undefined;
  /** Sends a job that the cluster has forgotten. */
  sendAgain: (job: TrackedJob) => Promise<void> = () => Promise.resolve();
  /** Set while the cluster does not answer. */
  absence: string | undefined;

  constructor(options: WatchOptions) {
    this.#options = options;
    this.#times = { ...TIMES, ...options.times };
    this.#late = new LateFiles({
      ...options,
      visibleMs: this.#times.visibleMs,
      onWait: ({ id }, concern) => this.#concern(id, concern),
      onVerdict: ({ id }) => this.#checkAgain(id),
      onFailure: (error) => this.#report(error, "The files of an ended job could not be looked for."),
    });
  }

  get size(): number {
    return this.#jobs.size;
  }

  listen(listener: JobListener): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  stateOf(id: string): JobState | undefined {
    return this.#jobs.get(id)?.state;
  }

  track(request: JobRequest): TrackedJob {
    const known = this.#jobs.get(request.id);
    if (known) return known;
    const reason = `${this.#options.place.name} has the job`;
    const job: TrackedJob = { request, isSent: false, state: { status: "queued", reason } };
    this.#jobs.set(request.id, job);
    return job;
  }

  /** Judges a job from now on, because the cluster has it. */
  confirm(job: TrackedJob): void {
    job.isSent = true;
    this.#check(job);
    this.#plan();
  }

  /** Returns what the supervisor of a new job waits for on its node. */
  awaitedBy({ workspaceFolder }: JobRequest): Awaited {
    const expected = this.#late.expectedIn(workspaceFolder);
    return { expected, visibleMs: this.#times.visibleMs, nowMs: this.#options.clock.now() };
  }

  forget(id: string): void {
    this.#jobs.delete(id);
  }

  /** Reports the end of a job, once, and returns it. */
  finish({ id }: Pick<JobRequest, "id">, end: JobEnd): JobEnd {
    const job = this.#jobs.get(id);
    if (job) this.#tell(job, { status: "ended", end });
    return end;
  }

  /** Calls the cluster, and remembers whether it answered. */
  async reach<Result>(call: () => Promise<Result>): Promise<Result> {
    try {
      const result = await call();
      this.absence = undefined;
      return result;
    } catch (error) {
      if (error instanceof BackendAwayError) this.absence = error.message;
      else this.absence = undefined;
      throw error;
    }
  }

  /** Returns the cluster that answered last. Lists its jobs if nothing was listed since the start. */
  async cluster(): Promise<string | undefined> {
    this.#cluster ??= this.#askCluster();
    try {
      return await this.#cluster;
    } catch (error) {
      this.#cluster = undefined;
      throw error;
    }
  }

  async #askCluster(): Promise<string | undefined> {
    const { cluster } = await this.reach(() => this.#options.place.list({ isWhole: false }));
    return cluster;
  }

  /** Ends a job in the cluster soon, together with others. */
  endOutside(id: string): void {
    const outsideIds = this.#options.records.outsideIdsOf(id);
    for (const outsideId of outsideIds) this.#toEnd.set(outsideId, nameOfJob(id));
    this.#plan();
  }

  close(): void {
    this.#isClosed = true;
    this.#cancelNews?.();
    this.#cancelList?.();
    this.#late.close();
    this.#listeners.clear();
    // A reply that is under way gives no verdict: another server may hold the folder.
    this.#jobs.clear();
  }

  #plan(): void {
    if (this.#isClosed || this.#jobs.size + this.#toEnd.size === 0) return;
    const { clock } = this.#options;
    this.#cancelNews ??= clock.after(this.#times.newsMs, () => void this.#onNews());
    if (!this.#isListing) this.#cancelList ??= clock.after(this.#times.listMs, () => void this.#onListTime());
  }

  async #onNews(): Promise<void> {
    try {
      const { records, place } = this.#options;
      const named = place.takeNews?.() ?? [];
      for (const id of [...records.files.takeNews(), ...named.map(idOfJob)]) {
        const job = this.#jobs.get(id);
        if (job) this.#check(job);
      }
      if (this.#toEnd.size > 0) await this.#endJobs();
    } catch (error) {
      this.#report(error, "The folder of the records of jobs could not be read.");
    }
    this.#cancelNews = undefined;
    this.#plan();
  }

  async #endJobs(): Promise<void> {
    const all = [...this.#toEnd];
    this.#toEnd.clear();
    try {
      const ids = await this.reach(() => this.#stillTheirs(all));
      if (ids.length > 0) await this.reach(() => this.#options.place.end(ids));
    } catch (error) {
      // Their claims and stop files hold without the cluster. The queue is tidied once it answers again.
      if (error instanceof BackendAwayError) for (const [id, name] of all) this.#toEnd.set(id, name);
      else this.#report(error, "Jobs could not be removed from the queue of the cluster.");
    }
  }

  /** Returns the numbers that still belong to the jobs of these names. */
  async #stillTheirs(all: readonly (readonly [outsideId: string, name: string])[]): Promise<string[]> {
    const { place } = this.#options;
    if (!place.reusesIds) return all.map(([outsideId]) => outsideId);
    const { jobs } = await place.list({ isWhole: false });
    const theirs = all.filter(([id, name]) => jobs.get(name)?.some(({ outsideId }) => outsideId === id));
    return theirs.map(([outsideId]) => outsideId);
  }

  async #onListTime(): Promise<void> {
    this.#cancelList = undefined;
    this.#isListing = true;
    try {
      await this.#list();
    } catch (error) {
      if (!(error instanceof BackendAwayError))
        this.#report(error, "The jobs of the cluster could not be listed.");
      // A job may end while the cluster is away, and its record is enough.
      for (const job of this.#jobs.values()) if (job.isSent) this.#check(job);
    }
    this.#isListing = false;
    this.#plan();
  }

  async #list(): Promise<void> {
    const jobs = [...this.#jobs.values()].filter(({ isSent }) => isSent);
    if (jobs.length === 0) return;
    const unclear = await this.#judgeAll(jobs, false);
    if (unclear.length > 0) await this.#judgeAll(unclear, true);
  }

  async #judgeAll(jobs: readonly TrackedJob[], isWhole: boolean): Promise<TrackedJob[]> {
    const listing = await this.reach(() => this.#options.place.list({ isWhole }));
    this.#cluster = Promise.resolve(listing.cluster);
    this.#tidy(listing);
    const unclear: TrackedJob[] = [];
    let judged = 0;
    for (const job of jobs) {
      if (!this.#isDue(job, listing, isWhole)) continue;
      if (!this.#judge(job, listing, isWhole)) unclear.push(job);
      judged += 1;
      if (judged % JUDGED_AT_ONCE === 0) await setImmediate();
    }
    return unclear;
  }

  #isDue(job: TrackedJob, { jobs }: Listing, isWhole: boolean): boolean {
    const { id } = job.request;
    return this.#jobs.get(id) === job && (isWhole || !maySkip(job, jobs.get(nameOfJob(id)) ?? []));
  }

  /** Removes ended jobs that an earlier server has left in the cluster. */
  #tidy({ jobs }: Listing): void {
    const { records, place } = this.#options;
    if (!place.keepsEnded) return;
    for (const [name, listed] of jobs) {
      const id = idOfJob(name);
      if (this.#jobs.has(id) || !listed.every(({ phase }) => phase === "gone")) continue;
      if (records.files.has(id, "end")) this.endOutside(id);
    }
  }

  /** Applies a listing to a job. Returns false if only a whole listing can decide. */
  #judge(job: TrackedJob, listing: Listing, isWhole: boolean): boolean {
    const { id } = job.request;
    if (this.#check(job)) return true;
    const { records, place } = this.#options;
    const { jobs, silentNodes, answeringNodes, absentNode, cluster } = listing;
    const sentTo = records.outsideOf(id)?.cluster;
    const otherCluster = sentTo !== undefined && sentTo !== cluster ? (cluster ?? "unknown") : undefined;
    const listed = jobs.get(nameOfJob(id)) ?? [];
    const claim = records.claimOf(id);
    const silentSinceMs = (job.silentSinceMs ??= this.#options.clock.now());
    const nodes = { silentNodes, answeringNodes, absentNode, silentSinceMs };
    const finding = judge({ ...nodes, place: place.name, claim, listed, isWhole, otherCluster });
    if (finding.is === "unclear") return false;
    if (finding.is !== "lost") job.doubtSinceMs = undefined;
    if (finding.is !== "running" || finding.concern === undefined) job.silentSinceMs = undefined;
    noteWaiting(job, { finding, listed, turn: this.#judged++ });
    this.#apply(job, finding);
    return true;
  }

  #apply(job: TrackedJob, finding: Exclude<Finding, { is: "unclear" }>): void {
    const { records, clock } = this.#options;
    const { id } = job.request;
    switch (finding.is) {
      case "queued":
        return this.#tell(job, { status: "queued", reason: finding.reason });
      case "running":
        return this.#tell(job, runningState(shownFinding(finding, id)));
      case "forgotten":
        if ((job.sentAgain ?? 0) < SENT_AGAIN_MAX) return this.#sendAgain(job);
        if (records.neverStarts(id, finding.sentence)) this.endOutside(id);
        break;
      case "refused":
        if (records.neverBegan(id, finding)) this.endOutside(id);
        break;
      case "lost":
        job.doubtSinceMs ??= clock.elapsedMs();
        if (clock.elapsedMs() - job.doubtSinceMs < this.#times.doubtMs) return;
        records.lose(id, finding);
        break;
    }
    this.#check(job);
  }

  /** The claim makes every further submission harmless, even if the cluster remembers the job later. */
  #sendAgain(job: TrackedJob): void {
    job.sentAgain = (job.sentAgain ?? 0) + 1;
    job.isSent = false;
    void this.sendAgain(job).then(
      () => this.confirm(job),
      (error: unknown) => {
        if (!(error instanceof BackendAwayError)) this.#report(error, "A forgotten job could not be sent.");
        // The next listing shows whether the job arrived.
        this.confirm(job);
      },
    );
  }

  /** Reads the record of a job. Returns true if the job has ended. */
  #check(job: TrackedJob): boolean {
    const { records } = this.#options;
    const { request } = job;
    const awaitsImage = this.#awaitsImage(job);
    records.noteWhy(request.id, this.#options.place.whyEnded?.(nameOfJob(request.id)));
    const found = records.maybeUnsettledEnd(request);
    if (found) {
      if (awaitsImage && this.#options.clock.now() - found.end.endedAtMs < IMAGE_MAX_MS) return true;
      if (found.isSettled) this.#tell(job, { status: "ended", end: found.end });
      else this.#late.await(request);
      return true;
    }
    const claim = records.claimOf(request.id);
    if (claim === "none" || claim === "nobody") this.#tell(job, job.state);
    // A concern holds until a listing says otherwise.
    else this.#tell(job, runningState({ ...(typeof claim === "object" && claim), concern: concernOf(job) }));
    if (typeof claim === "object") this.#answer(job, claim.node);
    return false;
  }

  /** Answers the supervisor of a job if its node does not see a file of an earlier job yet. */
  #answer({ request }: TrackedJob, node: string): void {
    const awaits = this.#options.records.files.maybeText(request.id, "awaits");
    if (awaits === undefined) return;
    void this.#late.answer(request, awaits, node).then(
      (sentence) => sentence !== undefined && this.#concern(request.id, sentence),
      (error: unknown) => this.#report(error, "The supervisor of a waiting job could not be answered."),
    );
  }

  /** Notes the image of a job. Returns true if the cluster is about to tell it. */
  #awaitsImage({ request: { id } }: TrackedJob): boolean {
    const { records, place } = this.#options;
    const image = place.imageOf?.(nameOfJob(id));
    if (image?.digest !== undefined && !records.files.has(id, "image")) records.setImage(id, image.digest);
    return image !== undefined && image.digest === undefined;
  }

  #checkAgain(id: string): void {
    const job = this.#jobs.get(id);
    if (job) this.#check(job);
  }

  #concern(id: string, concern: string): void {
    const job = this.#jobs.get(id);
    const claim = this.#options.records.claimOf(id);
    if (job) this.#tell(job, runningState({ ...(typeof claim === "object" && claim), concern }));
  }

  /** Reports a state unless it is known. The number of the job in the cluster is part of each state. */
  #tell(job: TrackedJob, next: JobState): void {
    const { id } = job.request;
    if (this.#jobs.get(id) !== job) return;
    if (job.state.status === "running" && next.status === "queued") return;
    const outsideId = this.#options.records.outsideOf(id)?.outsideId;
    const state = { ...next, ...(outsideId !== undefined && { outsideId }) };
    if (JSON.stringify(state) === JSON.stringify(job.state)) return;
    job.state = state;
    if (state.status === "ended") this.#leave(id);
    for (const listener of this.#listeners) listener(id, state);
  }

  #leave(id: string): void {
    this.#jobs.delete(id);
    if (this.#options.place.keepsEnded) this.endOutside(id);
  }

  #report(err: unknown, message: string): void {
    this.#options.log.error({ err: messageOf(err) }, message);
  }
}
