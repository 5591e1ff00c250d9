import { type Clock, toWireTime } from "#plumbing/clock";
import { crashPoint } from "#plumbing/crash-points";
import { messageOf } from "#plumbing/errors";
import { SessionLost } from "#runner/engine/engine-runtime";
import { driveRun, type RunDriver, type RunnerContext } from "#runner/loop/run-driver";
import { maybeBackendFault } from "#runner/jobs/backend-faults";
import { createBackoff } from "#scheduler/backoff";
import { transaction } from "#store/database/database";
import { type Lease, LeaseLostError, maybeTakeLease, setWaitingFor } from "#store/hosts/leases";
import { moveRun } from "#store/runs/move-run";
import { maybeRun, type Run } from "#store/runs/runs";
import { fullName } from "#workflow/run/run-name";
import type { RunStatus } from "#workflow/run/run-status";

/** The runs that this host drives, is about to take, or has postponed after a failure. */
export interface ActiveRuns {
  count(): number;
  /** Starts a queued run, unless another host has started it. */
  start(run: Run): Promise<void>;
  /** Resumes a run that was started before, unless the run is driven already, here or elsewhere. */
  resume(runId: string): Promise<void>;
  /** Returns whether the run is postponed, and will be resumed automatically. */
  isBackingOff(runId: string): boolean;
  maybeDriver(runId: string): RunDriver | undefined;
  drivers(): readonly RunDriver[];
  /** Detaches from all runs without writing to the database: another host may hold them already. Jobs keep running. */
  abandonAll(): void;
  /**
   * Detaches from all runs. Resolves when no run is driven or about to be taken. The runs still belong to
   * this host, and jobs keep running.
   */
  detachAll(): Promise<void>;
  /** Stops taking runs. Resolves when no run is being taken. Driven runs continue. */
  stopAccepting(): Promise<void>;
}

interface ActiveRunsOptions {
  readonly runner: RunnerContext;
  readonly clock: Clock;
  /** Keeps capacity from being granted until the returned function is called. */
  readonly holdCapacity: () => () => void;
  /** Returns whether this host certainly holds the leases of its runs. */
  readonly holdsLeases: () => boolean;
  /** Called when a run has ended and made room for another run. */
  readonly onEnd: () => void;
  readonly log: {
    error(details: object, message: string): void;
    info?(details: object, message: string): void;
  };
}

export function createActiveRuns(options: ActiveRunsOptions): ActiveRuns {
  return new Active(options);
}

class Active implements ActiveRuns {
  readonly #options: ActiveRunsOptions;
  readonly #drivers = new Map<string, RunDriver>();
  readonly #taking = new Map<string, Promise<void>>();
  readonly #backoff: ReturnType<typeof createBackoff>;
  #isClosed = false;

  constructor(options: ActiveRunsOptions) {
    this.#options = options;
    this.#backoff = createBackoff(options.clock);
  }

  count(): number {
    return this.#drivers.size + this.#backoff.count() + this.#taking.size;
  }

  isBackingOff(runId: string): boolean {
    return this.#backoff.has(runId);
  }

  maybeDriver(runId: string): RunDriver | undefined {
    return this.#drivers.get(runId);
  }

  drivers(): readonly RunDriver[] {
    return [...this.#drivers.values()];
  }

  start(run: Run): Promise<void> {
    const { runner, clock, log } = this.#options;
    const { db, hostId } = runner;
    return this.#whileTaking(run.id, async () => {
      const change = { runId: run.id, to: "pending", by: "scheduler", atMs: clock.now() } as const;
      const lease = await transaction(db, async (connection) =>
        (await moveRun(connection, change)) ? maybeTakeLease(connection, run.id, hostId) : undefined,
      );
      crashPoint("turn-recorded");
      if (lease) log.info?.(nameOf(run), "run began");
      if (lease && !this.#isClosed) this.#drive({ ...run, status: "pending" }, lease, 0);
    });
  }

  resume(runId: string): Promise<void> {
    return this.#resume(runId, 0);
  }

  abandonAll(): void {
    for (const driver of this.#takeDrivers()) void driver.detach();
  }

  async detachAll(): Promise<void> {
    this.#backoff.clear();
    await Promise.allSettled(this.#taking.values());
    await Promise.all(this.#takeDrivers().map((driver) => driver.detach()));
  }

  async stopAccepting(): Promise<void> {
    this.#isClosed = true;
    this.#backoff.cancelTimers();
    await Promise.allSettled(this.#taking.values());
  }

  /** Removes all drivers. Their results no longer matter. */
  #takeDrivers(): readonly RunDriver[] {
    const all = this.drivers();
    this.#drivers.clear();
    return all;
  }

  async #resume(runId: string, failures: number): Promise<void> {
    this.#backoff.cancel(runId);
    const underWay = this.#taking.get(runId);
    if (underWay) return underWay.catch(() => undefined);
    if (this.#isClosed || !this.#options.holdsLeases() || this.#drivers.has(runId)) return;
    await this.#whileTaking(runId, () => this.#takeLease(runId, failures));
  }

  async #takeLease(runId: string, failures: number): Promise<void> {
    const { db, hostId } = this.#options.runner;
    let lease: Lease | undefined;
    try {
      lease = await transaction(db, (connection) => maybeTakeLease(connection, runId, hostId));
      if (!lease) return;
      crashPoint("lease-taken");
      const run = await maybeRun(db, runId);
      if (run && !this.#isClosed) this.#drive(run, lease, failures);
    } catch (error) {
      this.#retryLater(runId, failures + 1, error, lease);
    }
  }

  /** Takes a run. Concurrent requests for the same run wait for the first. */
  #whileTaking(runId: string, take: () => Promise<void>): Promise<void> {
    const underWay = take().finally(() => this.#taking.delete(runId));
    this.#taking.set(runId, underWay);
    return underWay;
  }

  #drive(run: Run, lease: Lease, failures: number): void {
    const { runner, clock } = this.#options;
    const driver = driveRun(runner, run, lease);
    // The running jobs of the run use capacity, so no share is granted to other runs during the replay.
    if (run.status === "running") void driver.resumed.then(this.#options.holdCapacity());
    const failuresNow = this.#backoff.failureCounter(failures, clock.elapsedMs());
    this.#drivers.set(run.id, driver);
    // False after this host has detached from the driver: the result no longer matters.
    const isOurs = () => this.#drivers.get(run.id) === driver;
    driver.done.then(
      () => isOurs() && this.#onEnd(run.id),
      (error: unknown) => isOurs() && this.#onFailure(run.id, failuresNow(), error, lease),
    );
  }

  #onEnd(runId: string): void {
    this.#drivers.delete(runId);
    this.#options.onEnd();
    if (this.#options.log.info) void this.#logEnd(runId);
  }

  async #logEnd(runId: string): Promise<void> {
    const { runner, clock, log } = this.#options;
    try {
      const run = await maybeRun(runner.db, runId);
      if (!run) return;
      const ms = (run.finishedAtMs ?? run.stoppedAtMs ?? clock.now()) - (run.startedAtMs ?? run.createdAtMs);
      log.info?.({ ...nameOf(run), status: endOf(run), ms }, "run ended");
    } catch (error) {
      log.error({ err: error, workflow: runId }, "The end of a run could not be read for the log.");
    }
  }

  #onFailure(runId: string, failures: number, error: unknown, lease: Lease): void {
    this.#drivers.delete(runId);
    // Another server drives the run. If no server does, the next sweep finds the run free.
    if (error instanceof LeaseLostError) return;
    // The shared process ended because of another run, which fails. Repetitions are limited by the number of
    // such runs.
    if (error instanceof SessionLost) return void this.#resume(runId, failures - 1);
    this.#retryLater(runId, failures, error, lease);
  }

  #retryLater(runId: string, failures: number, error: unknown, lease: Lease | undefined): void {
    const { runner, clock, log } = this.#options;
    const waitMs = this.#backoff.delayMs(failures);
    log.error({ err: error, workflow: runId, waitMs }, "Driving a run failed; it will be resumed.");
    if (this.#isClosed) return;
    this.#backoff.schedule(runId, waitMs, () => void this.#resume(runId, failures));
    // Without a lease, this host must not write for the run.
    if (!lease) return;
    const next = toWireTime(clock.now() + waitMs).replace("T", " ");
    const why = maybeBackendFault(error) ?? `The server could not continue this run (${outline(error)}).`;
    const sentence = `${why} It will try again at ${next} UTC.`;
    setWaitingFor(runner.db, { runId, lease }, sentence).catch((writing: unknown) =>
      log.error({ err: writing, workflow: runId }, "The reason why a run waits could not be stored."),
    );
  }
}

function nameOf(run: Run): { workflow: string; run: string; user: string } {
  return { workflow: run.id, run: fullName(run.name, run.runMajor, run.runMinor), user: run.ownerId };
}

/** Returns how a run ended, even if the user has deleted the run since. */
function endOf({ status, failure, stoppedAtMs }: Run): RunStatus {
  if (status !== "deleted") return status;
  if (failure !== null) return "failed";
  return stoppedAtMs === null ? "finished" : "stopped";
}

/** Returns as much of an error as a user may know: the system's message, without the path. */
function outline(error: unknown): string {
  const [, message] = /^E[A-Z0-9]+: ([^,]+)/.exec(messageOf(error)) ?? [];
  return message ?? "the server's log has the reason";
}
