import type { Connection } from "#store/database/database";
import { isLive, type RunStatus } from "#workflow/run/run-status";
import { takeChanges } from "./change-log.ts";
import type { ClusterJob } from "./cluster.ts";
import { checkAtRest } from "./rest-checks.ts";
import { Coverage } from "./coverage.ts";
import { Dice } from "./dice.ts";
import type { RunnableEngine } from "#app/server-parts";
import { runnableEngines } from "./engines.ts";
import { Host } from "./host.ts";
import { type Deed, type Life, type Peril, timeOfDay } from "./life.ts";
import { MemoryFiles } from "./memory-files.ts";
import { People } from "./people.ts";
import { settingsOf, type WorldSettings } from "./settings.ts";
import type { SharedDatabase } from "./shared-database.ts";
import { SharedWakeUps } from "./shared-wake-ups.ts";
import { Sites } from "./sites.ts";
import { brew, pauseMs } from "./storm.ts";
import { idle, Timeline } from "./timeline.ts";
import { Weather } from "./weather.ts";
import { type SeenRun, Witness } from "./witness.ts";

/** The record of events, one line each, optionally with every statement and call of every server. */
export interface Story {
  readonly lines: string[];
  readonly withDeeds: boolean;
}

/** Once the weather is calm, every run must end within this time plus the time of all jobs. */
const REST_MAX_MS = 3_600_000;
/** More jobs than any run has. */
const JOBS_MAX = 12;
/** Time for the delayed work after the last run has ended. */
const REST_MS = 45_000;

/** A simulated world: hosts, servers, a cluster, people. All events follow from the seed. */
export class World {
  readonly seed: number;
  readonly settings: WorldSettings;
  readonly timeline = new Timeline();
  readonly coverage = new Coverage();
  readonly dice: Dice;
  readonly weather: Weather;
  readonly sites: Sites;
  readonly wakeUps: SharedWakeUps;
  readonly files = new MemoryFiles();
  readonly witness: Witness;
  readonly hosts: readonly Host[];
  readonly people: People;
  readonly #database: SharedDatabase;
  readonly #story: Story | undefined;
  #isClosing = false;
  /** Error of the database's clock. */
  databaseSkewMs = 0;
  failure: string | undefined;

  constructor(seed: number, database: SharedDatabase, story?: Story) {
    this.seed = seed;
    this.#database = database;
    this.#story = story;
    this.dice = new Dice(seed, "events");
    this.settings = settingsOf(new Dice(seed, "settings"));
    const { climate } = this.settings;
    this.weather = new Weather(climate, new Dice(seed, "weather"), (fault) => {
      this.coverage.count(fault);
      this.say("weather", fault);
    });
    const { stubbornness, independence } = this.settings;
    if (stubbornness + independence > 0 && !this.weather.isFair) this.weather.failJobsOften();
    this.wakeUps = new SharedWakeUps(this);
    this.hosts = Array.from({ length: this.settings.hosts }, (_, index) => new Host(this, `host${index}`));
    const hostIds = this.hosts.map((host) => host.id);
    this.sites = new Sites(hostIds, {
      isHostBound: this.settings.isHostBound,
      timeline: this.timeline,
      weather: this.weather,
      dice: this.dice,
      onBegin: (job) => {
        this.witness.seeBegin(job);
        this.#seeStaged(job);
      },
      onCancel: (life, request) => this.witness.seeCancel(life, request),
      onEnd: (job, end) => this.#leaveFiles(job, end.exitCode === 0),
      onForget: (job) => this.witness.seeForgotten(job),
      say: (text) => this.say("cluster", text),
      count: (what) => this.coverage.count(what),
    });
    this.witness = new Witness({
      sites: () => this.sites,
      nowMs: () => this.timeline.nowMs,
      isHostBound: this.settings.isHostBound,
      // The jobs of a cluster use nothing of the hosts.
      capacity: this.weather.isFair && this.settings.isHostBound ? this.settings.limits.capacity : undefined,
      fail: (sentence) => this.fail(sentence),
      count: (what) => this.coverage.count(what),
      onStatus: (run, from) => this.#noteStatus(run, from),
    });
    this.people = new People(this, database);
  }

  /** Runs the world until it has come to rest, or a check fails. */
  async run(): Promise<void> {
    this.say("world", JSON.stringify({ ...this.settings, ...this.weather.storm }));
    this.#database.now = () => timeOfDay(this.timeline) + this.databaseSkewMs;
    await this.people.arrive();
    for (const host of this.hosts) host.start();
    brew(this, this.#database);
    this.timeline.after(this.settings.lengthMs, () => this.#calm());
    // A single place runs all jobs in sequence.
    const workMs = this.settings.runs * JOBS_MAX * this.weather.jobMaxMs;
    const maxMs = this.settings.lengthMs + workMs + REST_MAX_MS;
    await this.#until(() => this.#isAtRest(), maxMs, "come to its end");
    // Attempts of deleted runs remain until the cluster can be asked to remove them.
    await this.#until(() => !this.sites.of(this.hosts[0]!.id).isAway, REST_MAX_MS, "come back");
    await this.#pass(REST_MS);
    await this.#leave();
    if (this.failure !== undefined) return;
    // The next server finds only the work left for it on purpose.
    this.hosts.find((host) => !host.isGone)!.start();
    await this.#pass(REST_MS);
    await this.#leave();
    if (this.failure === undefined) await checkAtRest(this, this.#database);
  }

  async #leave(): Promise<void> {
    this.#isClosing = true;
    for (const host of this.hosts) void host.close(false);
    await this.#until(() => this.hosts.every((host) => host.life === undefined), REST_MAX_MS, "closed");
    this.#isClosing = false;
  }

  #pass(ms: number): Promise<void> {
    const untilMs = this.timeline.nowMs + ms;
    return this.#until(() => this.timeline.nowMs >= untilMs, Number.POSITIVE_INFINITY, "pass");
  }

  /** Lets time pass until the condition holds. Fails after `maxMs`, or if nothing is left to wait for. */
  async #until(isSo: () => boolean, maxMs: number, verb: string): Promise<void> {
    const lastMs = this.timeline.nowMs + maxMs;
    await idle();
    while (this.failure === undefined && !isSo()) {
      if (this.timeline.nowMs > lastMs) this.fail(`Not everything has ${verb}: ${this.#whatIsLeft()}.`);
      if (!(await this.timeline.step())) this.fail(`Nothing happens any more: ${this.#whatIsLeft()}.`);
    }
  }

  fail(sentence: string): void {
    this.say("witness", `✗ ${sentence}`);
    this.failure ??= sentence;
  }

  say(who: string, what: string): void {
    this.#story?.lines.push(`${(this.timeline.nowMs / 1000).toFixed(3).padStart(9)} ${who}: ${what}`);
  }

  connectionFor(life: Life, host: Host): Connection {
    const writer = { name: life.name, hostId: host.id, beganAtMs: this.timeline.nowMs };
    return this.#database.connection({
      life,
      weather: this.weather,
      wakeUps: this.wakeUps,
      tellDeed: (deed) => void (this.#story?.withDeeds && this.say(life.name, deed())),
      delay: () => this.timeline.sleep(this.dice.magnitude(1, 3000)),
      onChange: async () => this.witness.see(writer, await takeChanges(this.#database)),
    });
  }

  perilOf(host: Host): Peril {
    let left = this.weather.happens("crash soon after a start") ? this.dice.magnitude(1, 100) : 0;
    return (_life: Life, deed: Deed, isDone: boolean) => {
      left -= 1;
      const when = `${isDone ? "after" : "before"} a ${deed}`;
      const place = deed === "cluster" ? "call of the cluster" : deed;
      if (left === 0 || this.weather.happens(`crash at a ${place}`)) host.crash(when);
      else if (this.weather.happens(`pause at a ${place}`)) host.pause(pauseMs(this));
    };
  }

  /** Returns the engines of a new server, in a random version. */
  engines(): readonly RunnableEngine[] {
    return runnableEngines(this.dice.between(1, this.settings.engineVersions));
  }

  async hinderFile(): Promise<void> {
    if (this.weather.happens("file is slow")) await this.timeline.sleep(this.dice.magnitude(1, 10_000));
    if (this.weather.happens("file fails")) throw new Error("The disk is full (simulated).");
  }

  noteCrash(host: Host): void {
    this.coverage.count("crash");
    if (this.sites.running().length > 0) this.coverage.count("crash with a job in flight");
    if (host.isStarting) this.coverage.count("crash while recovering");
    const live = [...this.witness.runs.values()].filter((run) => isLive(run.row.status));
    if (live.some((run) => run.row.stopRequestedAtMs !== null)) this.coverage.count("crash while stopping");
  }

  /** Schedules the next server on a host, immediately or later. */
  noteDown(host: Host): void {
    const downMs = this.weather.isCalm ? 10 : this.dice.between(0, this.weather.storm.downMaxMs);
    if (!this.#isClosing) this.timeline.after(downMs, () => !this.#isClosing && host.start());
  }

  #calm(): void {
    this.say("weather", "is calm from now on");
    this.weather.calm();
  }

  #isAtRest(): boolean {
    if (!this.weather.isCalm || this.people.areWaiting) return false;
    if (this.hosts.some((host) => !host.isGone && !host.life?.isRunning)) return false;
    return [...this.witness.runs.values()].every((run) => !isLive(run.row.status));
  }

  #whatIsLeft(): string {
    const live = [...this.witness.runs.values()].filter((run) => isLive(run.row.status));
    const told = live.map((run) => {
      const jobs = [...run.jobs.values()].map((job) => `${job.key} ${job.status}`).join(", ");
      const { status, heldBy, waitingFor } = run.row;
      return `${run.id} is ${status} after ${run.kinds.at(-1)}, held by ${heldBy}, jobs: ${jobs}, waiting for: ${waitingFor}`;
    });
    return [...told, ...(this.people.areWaiting ? ["somebody waits for an answer"] : [])].join("; ");
  }

  #leaveFiles(job: ClusterJob, isWell: boolean): void {
    if (!this.hosts.some((host) => host.isUp)) this.coverage.count("job ends while no server is there");
    const { collect, stage } = job.request.job;
    const workspaceId = workspaceOf(job);
    if (stage) this.files.put(workspaceId, `${collect!.folder}/own`, `changed by ${job.request.job.key}`);
    if (!isWell || !collect || job.request.id < "4") return;
    this.files.put(workspaceId, `${collect.folder}/made.txt`, `made by ${job.request.job.key}`);
  }

  /** Checks that the staged files of a starting command exist. */
  #seeStaged(job: ClusterJob): void {
    const { stage = [], key } = job.request.job;
    if (stage.length > 0) this.coverage.count("job with staged files begins");
    const missing = this.files.missing(workspaceOf(job), stage);
    if (missing.length > 0) this.fail(`The command of ${key} begins without ${missing.join(", ")}.`);
  }

  #noteStatus(run: SeenRun, from: RunStatus): void {
    this.say("database", `${run.id.slice(0, 4)} moves from ${from} to ${run.row.status}`);
    this.coverage.count(`run ${run.row.status}`);
    if (run.stopSeenAtMs !== undefined && ["finished", "failed"].includes(run.row.status)) {
      this.coverage.count(`run ${run.row.status} before its stop took effect`);
    }
  }
}

function workspaceOf({ request }: ClusterJob): string {
  return request.workspaceFolder.split("/").at(-1)!;
}
