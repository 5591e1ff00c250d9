import type { Clock } from "#plumbing/clock";
import type { DiskShortage, DiskSpace } from "#plumbing/disk-space";
import { onceAtATime } from "#plumbing/once-at-a-time";
import type { RunnerContext } from "#runner/run-driver";
import { createAdmission } from "#scheduler/admission";
import { createHeartbeat } from "#scheduler/heartbeat";
import { createHeldRuns } from "#scheduler/held-runs";
import type { Draining } from "#scheduler/draining";
import { createPlaces } from "#scheduler/places";
import { untilOver } from "#scheduler/until-over";
import { heldRunsToStop, runsToTake } from "#store/leases";
import type { Resources } from "#workflow/job";

/**
 * Decides which run is next, and when. The database is the only queue: everything kept here may be lost at any moment.
 */
export interface Scheduler {
  /** Resumes what an earlier server left, then gives queued runs their turns, until `close`. */
  start(): Promise<void>;
  /** Checks the queue now, because a run was queued or has ended. */
  wake(): void;
  /**
   * Carries out a stop that was requested in the database: ends the run's jobs. Resolves when the run has ended, or
   * after `waitMs`, whichever comes first.
   */
  stop(workflowId: string, waitMs: number): Promise<void>;
  /** Drains until `endDrain`, or the end of this process. Resolves when nothing new can start. */
  drain(how: Exclude<Draining, "no">): Promise<void>;
  endDrain(): void;
  draining(): Draining;
  standing(): HostStanding;
  /** Returns how many runs this host drives, or is about to. */
  runsUnderWay(): number;
  /**
   * Lets go of all runs. With `stopJobs` they are stopped first; otherwise their jobs keep running for the next server.
   */
  close(options: { readonly stopJobs: boolean }): Promise<void>;
}

/** Obstacles that keep this host from starting runs or jobs. */
export interface HostStanding {
  readonly hostId: string;
  readonly draining: Draining;
  readonly shortage: DiskShortage | undefined;
}

export const UNHINDERED: HostStanding = { hostId: "", draining: "no", shortage: undefined };

export interface SchedulerOptions {
  /** The context without the places for jobs, which the scheduler itself shares out. */
  readonly runner: Omit<RunnerContext, "places" | "hostId">;
  readonly clock: Clock;
  readonly host: { readonly id: string; readonly name: string };
  readonly limits: Limits;
  readonly requestStop: (workflowId: string) => Promise<void>;
  /** While disk space is short, no run and no job starts. Absent: it is never short. */
  readonly disk?: Pick<DiskSpace, "shortage" | "onChange"> | undefined;
  readonly log: SchedulerLog;
}

export interface SchedulerLog {
  error(details: object, message: string): void;
  /** Absent: starts and ends of runs are not logged. */
  info?(details: object, message: string): void;
}

export interface Limits {
  /** On this host. */
  readonly maxRunsAtOnce: number;
  readonly maxRunsPerUser: number;
  /** The resources that the jobs of this host may use together. */
  readonly capacity: Resources;
}

/**
 * Interval of checks that make up for a lost wake-up or a silent host, so that either causes a delay and not a hang.
 */
const LOOK_INTERVAL_MS = 5000;

export function createScheduler(options: SchedulerOptions): Scheduler {
  const { clock, host, limits, disk, log } = options;
  const { db } = options.runner;
  const hasSpace = () => disk?.shortage() === undefined;
  const places = createPlaces(limits.capacity, hasSpace);
  const admission = createAdmission(db, { maxPerUser: limits.maxRunsPerUser });
  const heartbeat = createHeartbeat({
    db,
    clock,
    host,
    log,
    onLost: () => runs.letGoOfAll(),
    onBack: () => looks.ask(),
  });
  const runs = createHeldRuns({
    runner: { ...options.runner, hostId: host.id, places },
    clock,
    log,
    isSure: heartbeat.isSure,
    onEnd: wake,
  });
  const turns = onceAtATime(giveTurns);
  const looks = onceAtATime(lookAtAll);
  let isClosing = false;
  let draining: Draining = "no";
  let callOffLook: (() => void) | undefined;

  function wake(): void {
    turns.ask();
  }

  async function giveTurns(): Promise<void> {
    try {
      while (canBegin()) {
        const next = await admission.maybeNext();
        if (!next) return;
        await runs.begin(next);
      }
    } catch (error) {
      log.error({ err: error }, "Looking at the queue failed; it is tried again.");
    }
  }

  function canBegin(): boolean {
    const isOpen = !isClosing && draining === "no" && hasSpace();
    return isOpen && heartbeat.isSure() && runs.count() < limits.maxRunsAtOnce;
  }

  /** Checks for everything that may have been missed. */
  async function lookAtAll(): Promise<void> {
    wake();
    if (isClosing || draining === "handed-over" || !heartbeat.isSure()) return;
    try {
      const free = await runsToTake(db, host.id);
      await Promise.all(free.filter(({ id }) => !runs.isPutOff(id)).map(({ id }) => runs.takeUp(id)));
      for (const id of await heldRunsToStop(db, host.id)) runs.maybeDriver(id)?.stop();
    } catch (error) {
      log.error({ err: error }, "Looking for runs to go on with failed; it is tried again.");
    }
  }

  function lookNowAndThen(): void {
    callOffLook = clock.after(LOOK_INTERVAL_MS, () => {
      lookNowAndThen();
      looks.ask();
    });
  }

  async function stop(workflowId: string, waitMs: number): Promise<void> {
    await runs.takeUp(workflowId);
    const driver = runs.maybeDriver(workflowId);
    driver?.stop();
    const { promise: late, resolve: tellLate } = Promise.withResolvers<void>();
    let isLate = false;
    const callOff = clock.after(waitMs, () => {
      isLate = true;
      tellLate();
    });
    const over = () => untilOver({ db, clock, log }, workflowId, () => isLate || isClosing);
    // If driving it fails now, it is resumed later and then stopped.
    await Promise.race([driver ? driver.done.catch(over) : over(), late]);
    callOff();
  }

  async function drain(how: Exclude<Draining, "no">): Promise<void> {
    draining = how;
    await Promise.all([turns.settled(), looks.settled()]);
    if (how === "handed-over") await runs.handOver();
    else looks.ask();
  }

  function endDrain(): void {
    draining = "no";
    looks.ask();
  }

  async function close({ stopJobs }: { readonly stopJobs: boolean }): Promise<void> {
    isClosing = true;
    callOffLook?.();
    await runs.takeNoMore();
    await Promise.all([turns.settled(), looks.settled()]);
    if (stopJobs) await stopAll();
    await Promise.all(runs.drivers().map((driver) => driver.letGo()));
    await heartbeat.stop();
  }

  async function stopAll(): Promise<void> {
    const drivers = runs.drivers();
    await Promise.all(drivers.map((driver) => options.requestStop(driver.workflowId)));
    for (const driver of drivers) driver.stop();
    await Promise.all(drivers.map((driver) => driver.done.catch(() => undefined)));
  }

  return {
    async start() {
      await heartbeat.start();
      lookNowAndThen();
      disk?.onChange(() => {
        places.lookForTurns();
        looks.ask();
      });
      looks.ask();
      await looks.settled();
    },
    wake,
    stop,
    drain,
    endDrain,
    draining: () => draining,
    standing: () => ({ hostId: host.id, draining, shortage: disk?.shortage() }),
    runsUnderWay: () => runs.count(),
    close,
  };
}
