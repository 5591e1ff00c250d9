import type { Backend, JobRequest, JobState } from "#backends/backend";
import type { JobEnd } from "#workflow/job";
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
  /** The host that submitted the job. */
  readonly hostId: string;
  begins: number;
  state: JobState;
  hasLeftovers: boolean;
}

export interface ClusterOptions {
  readonly timeline: Timeline;
  readonly weather: Weather;
  readonly dice: Dice;
  /** True if jobs are processes of one host: other hosts do not see them, and a restart of the host ends them. */
  readonly isHostBound: boolean;
  /** Called when a job's command starts, so that the witness checks it. `onEnd` is called when one ends. */
  readonly onBegin: (job: ClusterJob) => void;
  readonly onCancel: (by: Life, request: JobRequest) => void;
  readonly onEnd: (job: ClusterJob, end: JobEnd) => void;
  readonly onForget: (job: ClusterJob) => void;
  readonly say: (text: string) => void;
  /** Counts an occurrence for the coverage. */
  readonly count: (what: string) => void;
}

/**
 * The place where jobs run. It keeps the promises of a backend, as slowly and with as many failures as the weather asks
 * for, and it outlives all servers. A call that was on its way when its server died arrives all the same.
 */
export class Cluster {
  readonly jobs = new Map<string, ClusterJob>();
  readonly #forgotten = new Set<string>();
  readonly #news: News;
  readonly #options: ClusterOptions;
  #boots = 1;

  constructor(options: ClusterOptions) {
    this.#options = options;
    this.#news = new News(options);
  }

  /** Returns the cluster as one server sees it. */
  seenBy(life: Life, hostId: string): Backend {
    const call = <Result>(work: () => Promise<Result>) => life.act("cluster", work);
    return {
      name: "Cluster",
      isHostBound: this.#options.isHostBound,
      submit: (request) => call(() => this.#submit(request, hostId)),
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
      close: async () => undefined,
      runningJobs: () => this.running().length,
    };
  }

  running(): ClusterJob[] {
    return [...this.jobs.values()].filter((job) => job.state.status === "running");
  }

  get bootId(): string {
    return this.#options.isHostBound ? `boot ${this.#boots}` : "boot";
  }

  /** Restarts a machine. All jobs that run on it are lost, and no server hears about that. */
  reboot(): void {
    if (!this.#options.isHostBound) return;
    this.#boots += 1;
    this.#news.forgetAll();
    for (const job of this.jobs.values()) {
      job.hasLeftovers = false;
      if (job.state.status === "running") job.state = { status: "ended", end: this.#endOf("lost", null) };
    }
  }

  async #submit(request: JobRequest, hostId: string): Promise<JobState> {
    const { weather, timeline, dice } = this.#options;
    await this.#onTheWay();
    if (weather.happens("submission fails")) throw new ClusterFault("The cluster did not answer");
    if (weather.happens("submission fails and arrives late")) {
      timeline.after(dice.magnitude(1, 60_000), () => void this.#arrive(request, hostId));
      throw new ClusterFault("The cluster did not answer in time");
    }
    const state = this.#arrive(request, hostId);
    await this.#onTheWay();
    if (weather.happens("submission is applied and fails")) throw new ClusterFault("The answer was lost");
    return state;
  }

  /** Returns the present state of a job with a known id. A job that was forgotten never starts again. */
  #arrive(request: JobRequest, hostId: string): JobState {
    const known = this.jobs.get(request.id);
    if (known) {
      this.#options.count(`submission of a job that ${known.begins > 0 ? "is known" : "was claimed"}`);
      return known.state;
    }
    if (this.#forgotten.has(request.id)) return { status: "ended", end: this.#endOf("not-started", null) };
    if (this.#options.isHostBound && request.bootId !== this.bootId) {
      // Unknown here whether it ran before the machine was restarted, or on another one: it must not start.
      return this.#know(request, hostId, { status: "ended", end: this.#endOf("lost", null) }).state;
    }
    const job = this.#know(request, hostId, { status: "running" });
    job.begins += 1;
    this.#options.say(`job ${request.job.key} of ${job.run.slice(0, 4)} begins`);
    this.#options.onBegin(job);
    const { weather, dice, timeline } = this.#options;
    timeline.after(dice.between(0, weather.jobMaxMs), () => this.#complete(job));
    return job.state;
  }

  #know(request: JobRequest, hostId: string, state: JobState): ClusterJob {
    const run = request.job.environment["REANA_WORKFLOW_UUID"] ?? "";
    const job = { request, run, hostId, state, begins: 0, hasLeftovers: false };
    this.jobs.set(request.id, job);
    return job;
  }

  #complete(job: ClusterJob): void {
    const { weather } = this.#options;
    if (job.state.status === "ended") return;
    if (weather.happens("job leaves something behind")) job.hasLeftovers = true;
    if (weather.happens("job is lost")) return this.#settle(job, this.#endOf("lost", null));
    this.#settle(job, this.#endOf("exited", weather.happens("job fails") ? 1 : 0));
  }

  #settle(job: ClusterJob, end: JobEnd): void {
    job.state = { status: "ended", end };
    this.#options.say(`job ${job.request.job.key} of ${job.run.slice(0, 4)} ends: ${end.reason}`);
    this.#options.onEnd(job, end);
    this.#news.tell(job.request.id, end);
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

  /** Ends a job. If it never started, its claim is taken. */
  #ended(request: JobRequest, hostId: string): JobEnd {
    if (this.#forgotten.has(request.id)) return this.#endOf("not-started", null);
    const job = this.jobs.get(request.id) ?? this.#know(request, hostId, { status: "running" });
    if (job.state.status === "running") {
      this.#settle(job, this.#endOf(job.begins > 0 ? "cancelled" : "not-started", null));
    }
    job.hasLeftovers = false;
    return (job.state as { readonly end: JobEnd }).end;
  }

  async #readLog(id: string): Promise<Buffer> {
    await this.#onTheWay();
    if (this.#options.weather.happens("log cannot be read")) throw new ClusterFault("The log cannot be read");
    return Buffer.from(`log of ${this.jobs.get(id)?.request.job.script ?? "nobody"}\n`);
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
