import { isLive, type RunStatus, TRANSITIONS } from "#workflow/run/run-status";
import { attemptOf, type JobEnd, type JobStatus, type Resources } from "#workflow/job/job";
import { joinsEarly, notAlone, outOfOrder, overCapacity, tooEarly } from "./begin-checks.ts";
import type { Change, EventRow, JobRow, RunRow } from "./change-log.ts";
import type { JobRequest } from "#backends/backend";
import type { ClusterJob } from "./cluster.ts";
import type { Life } from "./life.ts";
import type { Sites } from "./sites.ts";

/** A run as the witness has seen it change. */
export interface SeenRun {
  readonly id: string;
  row: RunRow;
  lastSeq: number;
  changedAtMs: number;
  readonly kinds: string[];
  readonly jobs: Map<string, JobRow>;
  /** The server that took the lease last. */
  driver: Writer | undefined;
  leaseTakenAtMs: number;
  stopSeenAtMs: number | undefined;
  endSeenAtMs: number | undefined;
  /** finished, failed or stopped, even if the run was deleted since. */
  lastLiveEnd: RunStatus | undefined;
}

interface WitnessOptions {
  readonly sites: () => Sites;
  readonly nowMs: () => number;
  readonly isHostBound: boolean;
  /**
   * Limit of the resources used by the jobs of a host. Absent if servers come and go, because a new server
   * knows less about the running jobs.
   */
  readonly capacity: Resources | undefined;
  readonly fail: (sentence: string) => void;
  readonly count: (what: string) => void;
  /** Reports a new status of a run, for the coverage and the story. */
  readonly onStatus: (run: SeenRun, from: RunStatus) => void;
}

/** The author of a change: a server on a host, and when it started. */
export interface Writer {
  readonly name: string;
  readonly hostId: string;
  readonly beganAtMs: number;
}

/** Bound on the two queries between a check of the lease and the action based on the check. */
const OVERTAKEN_MAX_MS = 10_000;

/** Sees every committed change, in order, and reports at once what is forbidden. */
export class Witness {
  readonly runs = new Map<string, SeenRun>();
  readonly #options: WitnessOptions;
  readonly #begun = new Map<string, string>();
  /** Hosts once declared lost. */
  readonly #lost = new Set<string>();

  constructor(options: WitnessOptions) {
    this.#options = options;
  }

  noteLost(hostId: string): void {
    this.#lost.add(hostId);
  }

  /** True for a job of a host that was declared lost, once another host drives the run. */
  #isGivenUp(job: ClusterJob): boolean {
    return this.#lost.has(job.hostId) && this.runs.get(job.run)?.driver?.hostId !== job.hostId;
  }

  /** Checks the changes of a transaction. */
  see(writer: Writer, changes: readonly Change[]): void {
    const touched = new Set<SeenRun>();
    const withEvents = new Set<string>();
    for (const change of changes) {
      if (change.of === "event") withEvents.add(change.id);
      touched.add(this.#note(writer, change));
    }
    for (const run of touched) {
      const isOver = run.endSeenAtMs === this.#options.nowMs();
      run.changedAtMs = this.#options.nowMs();
      this.#checkCounters(run);
      this.#checkOrdinals(run);
      if (isOver) this.#checkNothingRuns(run);
    }
    const ends = changes.filter((change) => change.of === "event" && change.row.kind === "job-ended").length;
    if (ends > 1) this.#options.count("several ends in one moment");
    for (const change of changes) {
      // A job that is merely admitted is not an event of the run, because it has no consequence for the run.
      if (change.of !== "job" || change.row.status === "running" || withEvents.has(change.row.run)) continue;
      this.#fail(`${writer.name} changed job ${change.row.key} of ${change.row.run} without an event.`);
    }
  }

  #note(writer: Writer, change: Change): SeenRun {
    switch (change.of) {
      case "run":
        return this.#noteRun(writer, change.id, change.row);
      case "job":
        return this.#noteJob(writer, change.id, change.row);
      case "event":
        return this.#noteEvent(writer, change.id, change.row);
    }
  }

  #noteRun(writer: Writer, id: string, row: RunRow): SeenRun {
    const run = this.runs.get(id);
    if (!run) return this.#firstSight(id, row);
    const from = run.row.status;
    this.#noteLease(writer, run, row);
    run.row = row;
    if (row.stopRequestedAtMs !== null) run.stopSeenAtMs ??= this.#options.nowMs();
    if (row.status === from) return run;
    if (!TRANSITIONS.some((one) => one.from === from && one.to === row.status)) {
      this.#fail(`The status of ${id} moved from ${from} to ${row.status}.`);
    }
    if (isLive(from) && !isLive(row.status)) {
      run.endSeenAtMs = this.#options.nowMs();
      run.lastLiveEnd = row.status;
    }
    this.#options.onStatus(run, from);
    return run;
  }

  /** Checks a lease: the epoch rises by one each time a server takes the right to drive the run. */
  #noteLease(writer: Writer, run: SeenRun, row: RunRow): void {
    if (row.epoch === run.row.epoch && row.heldBy === run.row.heldBy) return;
    if (row.epoch !== run.row.epoch + 1 || row.heldBy !== writer.hostId) {
      this.#fail(`${writer.name} moved the lease of ${run.id} from ${leaseOf(run.row)} to ${leaseOf(row)}.`);
    }
    if (run.row.heldBy !== null && run.row.heldBy !== row.heldBy)
      this.#options.count("run taken over by another host");
    else if (run.row.heldBy !== null) this.#options.count("run taken up again");
    run.driver = writer;
    run.leaseTakenAtMs = this.#options.nowMs();
  }

  /** Checks that only the latest holder of the lease writes for a run. */
  #checkDriver(writer: Writer, run: SeenRun, what: string): void {
    if (run.driver === writer) return;
    this.#fail(`${writer.name} recorded ${what} of ${run.id}, which ${run.driver?.name ?? "nobody"} drives.`);
  }

  #firstSight(id: string, row: RunRow): SeenRun {
    const seen = { lastSeq: -1, changedAtMs: 0, kinds: [], jobs: new Map<string, JobRow>() };
    const run: SeenRun = {
      id,
      row,
      ...seen,
      driver: undefined,
      leaseTakenAtMs: 0,
      stopSeenAtMs: undefined,
      endSeenAtMs: undefined,
      lastLiveEnd: undefined,
    };
    this.runs.set(id, run);
    return run;
  }

  #noteJob(writer: Writer, id: string, row: JobRow): SeenRun {
    const run = this.runs.get(row.run)!;
    const before = run.jobs.get(id);
    this.#checkDriver(writer, run, `job ${row.key}`);
    if (!before) this.#checkNewJob(writer, run, row);
    else if (before.status !== row.status) this.#checkJobMove(id, before.status, row);
    this.#checkNote(id, before, row);
    run.jobs.set(id, row);
    return run;
  }

  #checkNewJob(writer: Writer, run: SeenRun, row: JobRow): void {
    if (row.takenFrom !== null) this.#checkTaken(run, row, row.takenFrom);
    if (run.stopSeenAtMs !== undefined && writer.beganAtMs > run.stopSeenAtMs) {
      this.#fail(
        `${writer.name} recorded job ${row.key} of ${run.id}, whose stop had been requested before it began.`,
      );
    }
  }

  /** Checks what is recorded of a job's place: a name lasts, and only a job that runs waits in a queue. */
  #checkNote(id: string, before: JobRow | undefined, row: JobRow): void {
    const { outsideId, queueReason } = row;
    if (queueReason !== null && row.status !== "running")
      this.#fail(`Job ${row.key} of ${row.run} is ${row.status}, and waits in a queue: ${queueReason}.`);
    if (before?.outsideId && before.outsideId !== outsideId)
      this.#fail(`Job ${row.key} of ${row.run} was ${before.outsideId} outside, and is ${outsideId}.`);
    if (outsideId === null || outsideId === before?.outsideId) return;
    this.#options.count("job known by its name outside");
    const names = this.#options
      .sites()
      .known(id)
      .map(({ state }) => state.outsideId);
    if (!names.includes(outsideId))
      this.#fail(`Job ${row.key} of ${row.run} is ${outsideId} outside; in truth it is ${names.join(", ")}.`);
  }

  /** Checks that a restart takes over finished jobs only. */
  #checkTaken(run: SeenRun, row: JobRow, takenFrom: string): void {
    const owner = [...this.runs.values()].find((one) => one.jobs.has(takenFrom));
    const isRerun = owner?.row.workspaceId !== run.row.workspaceId;
    this.#options.count(isRerun ? "job taken over by a rerun" : "job taken over");
    const source = owner?.jobs.get(takenFrom);
    const others = [...run.jobs.values()].filter((job) => job.takenFrom === takenFrom);
    if (others.length > 0 || source?.run === row.run)
      this.#fail(
        `${run.id} has two results of ${takenFrom}: job ${row.key} and ${others[0]?.key ?? "itself"}.`,
      );
    if (source?.status === "finished" && source.takenFrom === null) return;
    this.#fail(
      `${run.id} takes job ${row.key} over from ${takenFrom}, which is ${source?.status ?? "unknown"}.`,
    );
  }

  #checkJobMove(id: string, from: JobStatus, row: JobRow): void {
    const isForward = from === "created" || (from === "running" && row.status !== "created");
    if (!isForward) this.#fail(`Job ${row.key} of ${row.run} moved from ${from} to ${row.status}.`);
    if (row.status === "running") return;
    const known = this.#options.sites().known(id);
    // A job that was never sent ends without its place. `seeBegin` fails if the job begins later.
    if (known.length === 0 && (from === "created" || row.reason === "not-started")) return;
    if (known.some(({ state }) => state.status === "ended" && sameEnd(row, state.end))) return;
    const truth = known.map(({ state }) => (state.status === "ended" ? state.end.reason : state.status));
    this.#fail(
      `Job ${row.key} of ${row.run} is recorded as ${row.status} (${row.reason}); in truth it is ${truth.join(", ") || "unknown"}.`,
    );
  }

  #noteEvent(writer: Writer, id: string, row: EventRow): SeenRun {
    const run = this.runs.get(id)!;
    const isOfUser = row.kind === "start" || (row.kind === "stopped" && run.driver === undefined);
    if (!isOfUser) this.#checkDriver(writer, run, `event ${row.seq} (${row.kind})`);
    if (row.seq !== run.lastSeq + 1) {
      this.#fail(`Event ${row.seq} (${row.kind}) of ${id} follows event ${run.lastSeq}.`);
    }
    run.lastSeq = row.seq;
    run.kinds.push(row.kind);
    return run;
  }

  /** Checks that the jobs of a run are numbered without a gap, in any order of writing. */
  #checkOrdinals({ id, jobs }: SeenRun): void {
    const ordinals = Array.from(jobs.values(), ({ ordinal }) => ordinal).toSorted(
      (one, other) => one - other,
    );
    if (ordinals.some((ordinal, index) => ordinal !== index))
      this.#fail(`The jobs of ${id} have the numbers ${ordinals.join(", ")}.`);
  }

  #checkCounters({ id, row, jobs }: SeenRun): void {
    const count = (status: JobStatus) =>
      [...jobs.values()].filter((job) => job.status === status && job.queueReason === null).length;
    const told = [row.running, row.finished, row.failed];
    const counted = [count("running"), count("finished"), count("failed")];
    if (String(told) === String(counted)) return;
    this.#fail(
      `The counters of ${id} say ${told.join(", ")} jobs running, finished, failed; there are ${counted.join(", ")}.`,
    );
  }

  /** Checks that an ended run has no running jobs. The jobs must have ended before the run. */
  #checkNothingRuns(run: SeenRun): void {
    const { id, row, jobs } = run;
    const own = this.#options
      .sites()
      .jobs()
      .filter((job) => job.run === id);
    const running = own.filter((job) => job.state.status !== "ended" && !this.#isGivenUp(job));
    if (running.length > 0) this.#fail(`${id} is ${row.status}, and ${running.length} of its jobs run.`);
    // Leftovers on another host can be ended by that host alone.
    const left = own.filter(
      (job) => job.hasLeftovers && (!this.#options.isHostBound || job.hostId === run.driver?.hostId),
    );
    if (left.length > 0)
      this.#fail(`${id} is ${row.status}, and ${left.length} of its jobs left something behind.`);
    const open = [...jobs.values()].filter((job) => job.status === "running" || job.status === "created");
    if (open.length > 0) this.#fail(`${id} is over, and ${open.length} of its jobs are recorded as open.`);
  }

  /** Checks a job at the start of its command. */
  seeBegin(job: ClusterJob): void {
    if (this.#isGivenUp(job)) return this.#options.count("command of a job that was given up");
    const { id, job: what } = job.request;
    const run = this.runs.get(job.run);
    const row = run?.jobs.get(id);
    const attempt = attemptOf(what);
    if (attempt > 1) this.#options.count("command tried again");
    const place = `${job.run}/${what.key} (attempt ${attempt})`;
    for (const sentence of overCapacity(job, this.#options)) this.#fail(sentence);
    if (this.#begun.has(place)) this.#fail(`The command of ${place} begins a second time (job ${id}).`);
    this.#begun.set(place, id);
    if (row?.status !== "running") {
      this.#fail(`The command of ${place} begins, and its job is recorded as ${row?.status ?? "nothing"}.`);
    } else if (!isLive(run!.row.status))
      this.#fail(`The command of ${place} begins, and its run is ${run!.row.status}.`);
    else {
      for (const check of [outOfOrder, joinsEarly])
        for (const sentence of check(run!, job, this.#options)) this.#fail(sentence);
      const isGivenUp = (one: ClusterJob) => this.#isGivenUp(one);
      for (const sentence of tooEarly(run!, job, { ...this.#options, isGivenUp })) this.#fail(sentence);
      for (const sentence of notAlone(job, this.#options)) this.#fail(sentence);
    }
  }

  /** Checks a cancellation. A server may lose its lease after last reading it, but only for a short time. */
  seeCancel(life: Life, { id, job }: JobRequest): void {
    const run = [...this.runs.values()].find((one) => one.jobs.has(id));
    if (!run || !isLive(run.row.status) || run.driver?.name === life.name) return;
    const own = this.#options.sites().known(id);
    if (own.some((one) => `id of ${life.name.split(".")[0]}` === one.hostId && this.#isGivenUp(one)))
      return this.#options.count("given up job ended by its host");
    // The driver no longer uses the job, and the cluster may never have known it.
    if (run.jobs.get(id)!.status !== "running") return this.#options.count("job that is over ended again");
    this.#options.count("job cancelled by a server that has just lost its run");
    const lostMs = this.#options.nowMs() - run.leaseTakenAtMs;
    if (Math.min(lostMs, life.awakeMs) < OVERTAKEN_MAX_MS) return;
    this.#fail(
      `${life.name} cancels ${run.id}/${job.key}, which ${run.driver?.name} has driven for ${lostMs} ms.`,
    );
  }

  seeForgotten(job: ClusterJob): void {
    if (job.state.status !== "ended")
      this.#fail(`Job ${job.request.id} of ${job.run} was removed before it had ended.`);
    const status = this.runs.get(job.run)?.row.status;
    if (status !== "deleted")
      this.#fail(`Job ${job.request.id} of ${job.run} was removed; the run is ${status}.`);
  }

  #fail(sentence: string): void {
    this.#options.fail(sentence);
  }
}

function sameEnd(row: JobRow, end: JobEnd): boolean {
  return row.reason === end.reason && row.exitCode === end.exitCode;
}

function leaseOf({ heldBy, epoch }: RunRow): string {
  return `${heldBy ?? "nobody"}, epoch ${epoch}`;
}
