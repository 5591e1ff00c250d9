import type { Clock } from "#plumbing/clock";
import type { DiskShortage, DiskSpace } from "#plumbing/files/disk-space";
import { onceAtATime } from "#plumbing/once-at-a-time";
import type { GivenUpJobs } from "#runner/jobs/given-up-jobs";
import type { RunnerContext } from "#runner/loop/run-driver";
import { type ActiveRuns, createActiveRuns } from "#scheduler/active-runs";
import { type Admission, createAdmission } from "#scheduler/admission";
import type { JobPlaceOutside, NewHost } from "#store/hosts/hosts";
import { createHeartbeat, type Heartbeat } from "#scheduler/heartbeat";
import type { Draining } from "#scheduler/draining";
import { createCapacities } from "#scheduler/capacities";
import { endRunsOverQuota, type QuotaCheck } from "#scheduler/quota-watch";
import { createReturnedHost } from "#scheduler/returned-host";
import { untilOver } from "#scheduler/until-over";
import { heldRunsToStop, runsToTake } from "#store/hosts/leases";
import type { Resources } from "#workflow/job/job";

/**
 * Decides which run is next, and when. The database is the only queue: everything kept here may be lost at any moment.
 */
export interface Scheduler {
  /** Resumes the runs of an earlier server, then begins queued runs, until `close`. */
  start(): Promise<void>;
  /** Checks the queue now, because a run was queued or has ended. */
  wake(): void;
  /**
   * Carries out a stop that was requested in the database: ends the run's jobs. Resolves when the run has ended, or
   * after `waitMs`, whichever comes first.
   */
  stop(runId: string, waitMs: number): Promise<void>;
  /** Drains until `endDrain`, or the end of this process. Resolves when no new run or job can start. */
  drain(how: Exclude<Draining, "no">): Promise<void>;
  endDrain(): void;
  draining(): Draining;
  hostStatus(): HostStatus;
  /** Returns how many runs this host drives, or is about to. */
  activeRuns(): number;
  /**
   * Detaches from all runs. With `stopJobs`, runs are stopped first; otherwise jobs keep running for the next
   * server.
   */
  close(options: { readonly stopJobs: boolean }): Promise<void>;
}

/** Obstacles to starting runs or jobs on this host. */
export interface HostStatus {
  readonly hostId: string;
  readonly draining: Draining;
  readonly shortage: DiskShortage | undefined;
  /** A sentence for each unreachable backend, by name. */
  readonly away: ReadonlyMap<string, string>;
  /** A sentence for each user whose queued runs wait for a quota, a policy or a fair share of the places, by the user's id. */
  readonly held: ReadonlyMap<string, string>;
  /** Ids of the runs whose workflow engine works for other runs. */
  readonly awaitingEngine: ReadonlySet<string>;
  /** Ids of the runs that wait because no first job has a share of cores and memory. */
  readonly awaitingCapacity: ReadonlySet<string>;
  /** The GPUs that the first waiting job of a run needs, by the ids of the runs for which too few are free. */
  readonly awaitingGpus: ReadonlyMap<string, number>;
  /** The number of GPUs of the host. */
  readonly gpus: number;
  readonly gpusInUse: number;
}

export const UNOBSTRUCTED: HostStatus = {
  hostId: "",
  draining: "no",
  shortage: undefined,
  away: new Map(),
  held: new Map(),
  awaitingEngine: new Set(),
  awaitingCapacity: new Set(),
  awaitingGpus: new Map(),
  gpus: 0,
  gpusInUse: 0,
};

export interface SchedulerOptions {
  /** The context without the capacity for jobs, which the scheduler itself shares out. */
  readonly runner: Omit<RunnerContext, "capacity" | "hostId">;
  readonly clock: Clock;
  readonly host: NewHost;
  readonly limits: Limits;
  readonly requestStop: (runId: string) => Promise<void>;
  readonly givenUpJobs: GivenUpJobs;
  /** If absent, no use is limited. */
  readonly quotas?: QuotaCheck;
  /** While disk space is short, no run and no job starts. If absent, space is never short. */
  readonly disk?: Pick<DiskSpace, "shortage" | "onChange"> | undefined;
  readonly log: SchedulerLog;
}

export interface SchedulerLog {
  error(details: object, message: string): void;
  warn?(details: object, message: string): void;
  /** If absent, starts and ends of runs are not logged. */
  info?(details: object, message: string): void;
}

export interface Limits {
  /** On this host. */
  readonly maxRunsAtOnce: number;
  readonly maxRunsPerUser: number;
  /** Total resources of this host for jobs. */
  readonly capacity: Resources;
}

/** Interval of sweeps, which make up for a lost wake-up or a silent host: either causes a delay and not a hang. */
const SWEEP_INTERVAL_MS = 5000;

export function createScheduler(options: SchedulerOptions): Scheduler {
  return new HostScheduler(options);
}

class HostScheduler implements Scheduler {
  readonly #options: SchedulerOptions;
  readonly #capacity: ReturnType<typeof createCapacities>;
  readonly #admission: Admission;
  readonly #heartbeat: Heartbeat;
  readonly #runs: ActiveRuns;
  readonly #admissions = onceAtATime(() => this.#admitRuns());
  readonly #sweeps = onceAtATime(() => this.#sweep());
  readonly #returned: ReturnType<typeof createReturnedHost>;
  /** True once all jobs given up while this host was silent have been ended. */
  #isTidy = false;
  #isClosing = false;
  #draining: Draining = "no";
  #cancelTimer: (() => void) | undefined;

  constructor(options: SchedulerOptions) {
    const { runner, clock, host, limits, log } = options;
    this.#options = options;
    this.#capacity = createCapacities(limits.capacity, () => this.#hasSpace());
    this.#admission = createAdmission(runner.db, {
      maxPerUser: limits.maxRunsPerUser,
      freePlaces: () => limits.maxRunsAtOnce - this.#runs.count(),
      drivenFor: (userId) => this.#runs.drivers().filter(({ ownerId }) => ownerId === userId).length,
      maybeMustWait: async (userId, active) => options.quotas?.maybeMustWait(userId, active),
    });
    this.#heartbeat = createHeartbeat({
      db: runner.db,
      clock,
      host: { ...host, places: runner.backends.all.flatMap(maybePlace) },
      log,
      onLost: () => {
        this.#isTidy = false;
        this.#runs.abandonAll();
      },
      onBack: () => this.#sweeps.ask(),
    });
    const { givenUpJobs: jobs } = options;
    this.#returned = createReturnedHost({ db: runner.db, clock, hostId: host.id, jobs, log });
    this.#runs = createActiveRuns({
      runner: { ...runner, hostId: host.id, capacity: this.#capacity },
      clock,
      log,
      holdCapacity: () => this.#capacity.hold(),
      holdsLeases: () => this.#heartbeat.holdsLeases(),
      onEnd: () => this.wake(),
    });
  }

  async start(): Promise<void> {
    await this.#heartbeat.start();
    this.#sweepRegularly();
    this.#options.disk?.onChange(() => {
      this.#capacity.grantSoon();
      this.#sweeps.ask();
    });
    this.#sweeps.ask();
    await this.#sweeps.settled();
  }

  wake(): void {
    this.#admissions.ask();
  }

  async stop(runId: string, waitMs: number): Promise<void> {
    await this.#runs.resume(runId);
    const driver = this.#runs.maybeDriver(runId);
    driver?.stop();
    const { clock, log, runner } = this.#options;
    const { promise: late, resolve: onLate } = Promise.withResolvers<void>();
    let isLate = false;
    const cancelTimer = clock.after(waitMs, () => {
      isLate = true;
      onLate();
    });
    const over = () => untilOver({ db: runner.db, clock, log }, runId, () => isLate || this.#isClosing);
    // If driving the run fails now, the run is resumed later and then stopped.
    await Promise.race([driver ? driver.done.catch(over) : over(), late]);
    cancelTimer();
  }

  async drain(how: Exclude<Draining, "no">): Promise<void> {
    this.#draining = how;
    await Promise.all([this.#admissions.settled(), this.#sweeps.settled()]);
    if (how === "handed-over") await this.#runs.detachAll();
    else this.#sweeps.ask();
  }

  endDrain(): void {
    this.#draining = "no";
    this.#sweeps.ask();
  }

  draining(): Draining {
    return this.#draining;
  }

  hostStatus(): HostStatus {
    const { host, disk, runner } = this.#options;
    const away = runner.backends.all.flatMap((backend) => {
      const sentence = backend.away();
      return sentence === undefined ? [] : [[backend.name, sentence] as const];
    });
    return {
      hostId: host.id,
      draining: this.#draining,
      shortage: disk?.shortage(),
      away: new Map(away),
      held: this.#admission.held(),
      awaitingCapacity: new Set(
        this.#runs.drivers().flatMap((driver) => (driver.awaitsCapacity() ? [driver.runId] : [])),
      ),
      awaitingGpus: this.#capacity.waitingForGpus(),
      gpus: this.#options.limits.capacity.gpus ?? 0,
      gpusInUse: this.#capacity.gpusInUse(),
      awaitingEngine: new Set([...runner.engines.values()].flatMap((engine) => engine.waitingRuns?.() ?? [])),
    };
  }

  activeRuns(): number {
    return this.#runs.count();
  }

  async close({ stopJobs }: { readonly stopJobs: boolean }): Promise<void> {
    this.#isClosing = true;
    this.#cancelTimer?.();
    await this.#runs.stopAccepting();
    await Promise.all([this.#admissions.settled(), this.#sweeps.settled()]);
    if (stopJobs) await this.#stopAll();
    await Promise.all(this.#runs.drivers().map((driver) => driver.detach()));
    await this.#heartbeat.stop();
  }

  async #stopAll(): Promise<void> {
    const drivers = this.#runs.drivers();
    await Promise.all(drivers.map((driver) => this.#options.requestStop(driver.runId)));
    for (const driver of drivers) driver.stop();
    await Promise.all(drivers.map((driver) => driver.done.catch(() => undefined)));
  }

  async #admitRuns(): Promise<void> {
    await this.#attempt("Starting queued runs", async () => {
      while (this.#canBegin()) {
        const next = await this.#admission.maybeNext();
        if (!next) return;
        await this.#runs.start(next);
      }
    });
  }

  #canBegin(): boolean {
    const isOpen = !this.#isClosing && this.#isTidy && this.#draining === "no" && this.#hasSpace();
    const { maxRunsAtOnce } = this.#options.limits;
    return isOpen && this.#heartbeat.holdsLeases() && this.#runs.count() < maxRunsAtOnce;
  }

  #hasSpace(): boolean {
    return this.#options.disk?.shortage() === undefined;
  }

  /** Checks for missed wake-ups of any kind. */
  async #sweep(): Promise<void> {
    if (this.#isClosing || this.#draining === "handed-over" || !this.#heartbeat.holdsLeases()) return;
    await this.#attempt("Resuming runs", async () => {
      await this.#endGivenUpJobs();
      await this.#resumeFreeRuns();
      await this.#stopRequestedRuns();
    });
    await this.#endRunsOverQuota();
    // Queued runs start after the resumed runs, whose jobs may be using the capacity.
    this.wake();
  }

  async #endGivenUpJobs(): Promise<void> {
    await this.#returned.look();
    this.#isTidy = true;
  }

  /** Grants no capacity until each run is taken: jobs of any may be running already and using it. */
  async #resumeFreeRuns(): Promise<void> {
    const { runner, host } = this.#options;
    const free = (await runsToTake(runner.db, host.id)).filter(({ id }) => !this.#runs.isBackingOff(id));
    if (free.length === 0) return;
    const release = this.#capacity.hold();
    await Promise.all(free.map(({ id }) => this.#runs.resume(id))).finally(release);
  }

  async #stopRequestedRuns(): Promise<void> {
    const { runner, host } = this.#options;
    for (const id of await heldRunsToStop(runner.db, host.id)) this.#runs.maybeDriver(id)?.stop();
  }

  async #endRunsOverQuota(): Promise<void> {
    const { quotas, log } = this.#options;
    if (quotas) await endRunsOverQuota(this.#runs.drivers(), { quotas, log });
  }

  async #attempt(what: string, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.#options.log.error({ err: error }, `${what} failed; it will be tried again.`);
    }
  }

  #sweepRegularly(): void {
    this.#cancelTimer = this.#options.clock.after(SWEEP_INTERVAL_MS, () => {
      this.#sweepRegularly();
      this.#sweeps.ask();
    });
  }
}

/** Jobs of a backend that is not bound to this host can be driven by another host, if it has the place too. */
function maybePlace({
  name: backend,
  isHostBound,
  hostToken,
}: SchedulerOptions["runner"]["backends"]["all"][number]): readonly JobPlaceOutside[] {
  return isHostBound ? [] : [{ backend, hostToken }];
}
