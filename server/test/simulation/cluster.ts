import type { Backend, JobRequest, JobState } from "#backends/backend";
import { BackendAwayError } from "#backends/backend";
import { commandText, type JobEnd } from "#workflow/job/job";
import type { Dice } from "./dice.ts";
import type { Life } from "./life.ts";
import { timeOfDay } from "./life.ts";
import { News } from "./news.ts";
import type { Timeline } from "./timeline.ts";
import type { Weather } from "./weather.ts";

/** The state of a job in the cluster. */
export interface ClusterJob {
  readonly request: JobRequest;
  readonly run: string;
  /** The host of the submitting server. */
  readonly hostId: string;
  begins: number;
  state: JobState;
  hasLeftovers: boolean;
}

export interface ClusterOptions {
  readonly timeline: Pick<Timeline, "nowMs" | "after" | "sleep">;
  readonly weather: Pick<Weather, "happens" | "callMaxMs" | "jobMaxMs">;
  readonly dice: Pick<Dice, "between" | "magnitude" | "pick">;
  /**
   * True if jobs are processes of a host: servers on a different host do not see the jobs, and a restart of
   * the host ends all its jobs.
   */
  readonly isHostBound: boolean;
  /**
   * Called when a job's command starts, for the checks of the witness. `onEnd` is called when a command ends.
   */
  readonly onBegin: (job: ClusterJob) => void;
  readonly onCancel: (by: Life, request: JobRequest) => void;
  readonly onEnd: (job: ClusterJob, end: JobEnd) => void;
  readonly onForget: (job: ClusterJob) => void;
  readonly say: (text: string) => void;
  /** Counts an occurrence for the coverage. */
  readonly count: (what: string) => void;
}

const QUEUE_REASONS = ["no node is free", "its priority is too low", "the partition is down"];
/** Longest wait in the queue. */
const QUEUE_MAX_MS = 300_000;
/** A time longer than the silence after which a host is declared lost. */
const LONG_JOB_MS = 120_000;
/** Time after which the cluster gives up a hanging pull. */
const PULL_MAX_MS = 1_200_000;

/**
 * The place where jobs run. The cluster keeps the promises of a backend, as slowly and with as many failures
 * as the weather demands, and outlives all servers. A call sent by a server arrives even if the server dies.
 */
export class Cluster {
  readonly jobs = new Map<string, ClusterJob>();
  readonly #forgotten = new Set<string>();
  readonly #news: News;
  readonly #options: ClusterOptions;
  #boots = 1;
  /** The sentence with which calls fail while the cluster cannot be reached. */
  #absence: string | undefined;

  constructor(options: ClusterOptions) {
    this.#options = options;
    this.#news = new News(options);
  }

  /** Returns the cluster from the view of one server. */
  seenBy(life: Life, hostId: string): Backend {
    const call = <Result>(work: () => Promise<Result>) => life.act("cluster", () => this.#reach(work));
    const { isHostBound } = this.#options;
    const hostToken = () => (isHostBound ? `boot ${this.#boots}` : "the cluster");
    return {
      name: "Cluster",
      isHostBound,
      capabilities: { computeBackends: ["cluster"], provides: () => [] },
      get hostToken() {
        return hostToken();
      },
      mayQueue: () => true,
      submit: (request) => call(() => this.#submit(request, hostId, hostToken())),
      cancel: (request) =>
        call(() => {
          this.#options.onCancel(life, request);
          return this.#cancel(request, hostId);
        }),
      readLog: (id) => call(() => this.#readLog(id)),
      logSize: (id) => call(async () => (await this.#readLog(id)).length),
      endLeftovers: (ids) => call(() => this.#endLeftovers(ids)),
      remove: (ids) => call(() => this.#remove(ids)),
      watch: (listener) => this.#news.watch(life, listener),
      away: () => this.#absence,
      export: async () => [],
      close: async () => undefined,
      runningJobs: () => this.running().length,
    };
  }

  running(): ClusterJob[] {
    return [...this.jobs.values()].filter((job) => job.state.status === "running");
  }

  get isAway(): boolean {
    return this.#absence !== undefined;
  }

  /** Restarts a machine. All jobs running on the machine are lost, and no server is notified. */
  reboot(): void {
    if (!this.#options.isHostBound) return;
    this.#boots += 1;
    this.#news.forgetAll();
    for (const job of this.jobs.values()) {
      job.hasLeftovers = false;
      if (job.state.status !== "ended") this.#set(job, { status: "ended", end: this.#endOf("lost", null) });
    }
  }

  /** Leaves all calls and news on the way, until `comeBack`. Jobs continue. */
  leave(sentence: string): void {
    this.#absence = sentence;
    this.#news.hold();
  }

  comeBack(): void {
    this.#absence = undefined;
    this.#news.release();
  }

  /** Makes a queued job wait for something else. */
  requeue(id: string, reason: string): void {
    const job = this.jobs.get(id);
    if (job?.state.status === "queued") this.#move(job, { status: "queued", reason });
  }

  /** Starts a queued job. */
  begin(id: string): void {
    const job = this.jobs.get(id);
    if (job?.state.status !== "queued") return;
    this.#start(job);
    this.#news.tell(id, job.state);
  }

  finish(id: string, exitCode: number): void {
    const job = this.jobs.get(id);
    if (job && job.state.status !== "ended") this.#settle(job, this.#endOf("exited", exitCode));
  }

  async #reach<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.#absence !== undefined) {
      this.#options.count("call of a cluster that is away");
      await this.#onTheWay();
    }
    if (this.#absence !== undefined) throw new BackendAwayError(this.#absence);
    return work();
  }

  async #submit(request: JobRequest, hostId: string, token: string): Promise<JobState> {
    const { weather, timeline, dice } = this.#options;
    await this.#onTheWay();
    if (weather.happens("submission fails")) throw new ClusterFault("The cluster did not answer");
    if (weather.happens("submission fails and arrives late")) {
      timeline.after(dice.magnitude(1, 60_000), () => void this.#arrive(request, hostId, token));
      throw new ClusterFault("The cluster did not answer in time");
    }
    const state = this.#arrive(request, hostId, token);
    await this.#onTheWay();
    if (weather.happens("submission is applied and fails")) throw new ClusterFault("The answer was lost");
    return state;
  }

  /** Returns the present state of a job with a known id. A job that was forgotten never starts again. */
  #arrive(request: JobRequest, hostId: string, token: string): JobState {
    const known = this.jobs.get(request.id);
    if (known) {
      this.#options.count(`submission of a job that ${known.begins > 0 ? "is known" : "was claimed"}`);
      return known.state;
    }
    if (this.#forgotten.has(request.id)) return { status: "ended", end: this.#endOf("not-started", null) };
    if (this.#options.isHostBound && request.hostToken !== token) {
      // The job may have run before the machine was restarted, or on a different machine, so it must not
      // start.
      return this.#know(request, hostId, { status: "ended", end: this.#endOf("lost", null) }).state;
    }
    const job = this.#know(request, hostId, { status: "queued", reason: this.#reason() });
    if (this.#options.weather.happens("pull hangs")) this.#hang(job);
    else if (this.#options.weather.happens("job is queued")) this.#queue(job);
    else this.#start(job);
    return job.state;
  }

  #reason(): string {
    return this.#options.dice.pick(QUEUE_REASONS);
  }

  #hang(job: ClusterJob): void {
    this.#move(job, { status: "queued", reason: "the image is being pulled" });
    this.#options.timeline.after(PULL_MAX_MS, () => {
      if (job.state.status === "queued") this.#settle(job, this.#endOf("not-started", null));
    });
  }

  #queue(job: ClusterJob): void {
    const { timeline, dice } = this.#options;
    const waitMs = dice.magnitude(10, QUEUE_MAX_MS);
    const { id } = job.request;
    timeline.after(waitMs / 2, () => this.requeue(id, this.#reason()));
    timeline.after(waitMs, () => this.begin(id));
  }

  #start(job: ClusterJob): void {
    this.#set(job, { status: "running" });
    job.begins += 1;
    this.#options.say(`job ${job.request.job.key} of ${job.run.slice(0, 4)} begins`);
    this.#options.onBegin(job);
    const { weather, dice, timeline } = this.#options;
    const longerMs = weather.happens("job is long") ? LONG_JOB_MS : 0;
    timeline.after(dice.between(0, weather.jobMaxMs) + longerMs, () => this.#complete(job));
  }

  #know(request: JobRequest, hostId: string, state: JobState): ClusterJob {
    const run = request.job.environment["REANA_WORKFLOW_UUID"] ?? "";
    const job = { request, run, hostId, state, begins: 0, hasLeftovers: false };
    this.jobs.set(request.id, job);
    this.#set(job, state);
    return job;
  }

  /** Sets a state. Jobs of a cluster have a name there. */
  #set(job: ClusterJob, state: JobState): void {
    const { isHostBound } = this.#options;
    job.state = isHostBound ? state : { ...state, outsideId: `cluster-${job.request.id}` };
  }

  #move(job: ClusterJob, state: JobState): void {
    this.#set(job, state);
    this.#news.tell(job.request.id, job.state);
  }

  #complete(job: ClusterJob): void {
    const { weather } = this.#options;
    if (job.state.status === "ended") return;
    if (weather.happens("job leaves something behind")) job.hasLeftovers = true;
    if (weather.happens("job is lost")) return this.#settle(job, this.#endOf("lost", null));
    this.#settle(job, this.#endOf("exited", weather.happens("job fails") ? 1 : 0));
  }

  #settle(job: ClusterJob, end: JobEnd): void {
    this.#set(job, { status: "ended", end });
    this.#options.say(`job ${job.request.job.key} of ${job.run.slice(0, 4)} ends: ${end.reason}`);
    this.#options.onEnd(job, end);
    this.#news.tell(job.request.id, job.state);
  }

  #endOf(reason: JobEnd["reason"], exitCode: number | null): JobEnd {
    const nowMs = timeOfDay(this.#options.timeline);
    return { reason, exitCode, startedAtMs: reason === "not-started" ? null : nowMs, endedAtMs: nowMs };
  }

  async #cancel(request: JobRequest, hostId: string): Promise<JobEnd> {
    const { weather, timeline, dice } = this.#options;
    await this.#onTheWay();
    if (weather.happens("cancellation fails"))
      throw new ClusterFault("The cluster could not be asked to cancel");
    if (weather.happens("cancellation is slow")) await timeline.sleep(dice.magnitude(100, 30_000));
    const end = this.#ended(request, hostId);
    await this.#onTheWay();
    if (weather.happens("cancellation is applied and fails")) throw new ClusterFault("The answer was lost");
    return end;
  }

  /** Ends a job. If the job never started, its claim is taken. */
  #ended(request: JobRequest, hostId: string): JobEnd {
    if (this.#forgotten.has(request.id)) return this.#endOf("not-started", null);
    const job = this.jobs.get(request.id) ?? this.#know(request, hostId, { status: "running" });
    if (job.state.status !== "ended") {
      this.#settle(job, this.#endOf(job.begins > 0 ? "cancelled" : "not-started", null));
    }
    job.hasLeftovers = false;
    return (job.state as { readonly end: JobEnd }).end;
  }

  async #readLog(id: string): Promise<Buffer> {
    await this.#onTheWay();
    if (this.#options.weather.happens("log cannot be read")) throw new ClusterFault("The log cannot be read");
    const job = this.jobs.get(id);
    return Buffer.from(job ? `log of ${commandText(job.request.job)}\n` : "");
  }

  async #endLeftovers(ids: readonly string[]): Promise<void> {
    await this.#onTheWay();
    if (this.#options.weather.happens("leftovers cannot be ended")) {
      throw new ClusterFault("The cluster did not end what was left behind");
    }
    for (const job of this.#known(ids)) job.hasLeftovers = false;
  }

  async #remove(ids: readonly string[]): Promise<void> {
    await this.#onTheWay();
    if (this.#options.weather.happens("removal fails"))
      throw new ClusterFault("The cluster did not remove the jobs");
    for (const job of this.#known(ids)) {
      this.#options.onForget(job);
      this.jobs.delete(job.request.id);
    }
    for (const id of ids) this.#forgotten.add(id);
  }

  #known(ids: readonly string[]): ClusterJob[] {
    return ids.map((id) => this.jobs.get(id)).filter((job) => job !== undefined);
  }

  #onTheWay(): Promise<void> {
    const { weather, timeline, dice } = this.#options;
    if (weather.happens("call of the cluster is slow")) return timeline.sleep(dice.magnitude(1000, 30_000));
    return timeline.sleep(dice.between(0, weather.callMaxMs));
  }
}

class ClusterFault extends Error {
  constructor(what: string) {
    super(`${what} (simulated).`);
    this.name = "ClusterFault";
  }
}
