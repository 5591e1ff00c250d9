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

/** Whose turn it is, and when. The database is the only queue: what is kept here may be lost at any moment. */
export interface Scheduler {
  /** Take up what an earlier server left, then give queued runs their turn, until `close`. */
  start(): Promise<void>;
  /** Something was queued or has ended: look at the queue now. */
  wake(): void;
  /**
   * A stop was requested in the database. Ends the run's jobs and answers when the run has reached its end, or after
   * `waitMs`, whichever comes first.
   */
  stop(workflowId: string, waitMs: number): Promise<void>;
  /** Until `endDrain`, or the end of this process. Answers when nothing new begins any more. */
  drain(how: Exclude<Draining, "no">): Promise<void>;
  endDrain(): void;
  draining(): Draining;
  standing(): HostStanding;
  /** How many runs this host drives, or is about to. */
  runsUnderWay(): number;
  /** Lets go of all runs; with `stopJobs` they are stopped first, else their jobs go on for the next server to find. */
  close(options: { readonly stopJobs: boolean }): Promise<void>;
}

/** What keeps this host from starting runs or jobs. */
export interface HostStanding {
  readonly hostId: string;
  readonly draining: Draining;
  readonly shortage: DiskShortage | undefined;
}

export const UNHINDERED: HostStanding = { hostId: "", draining: "no", shortage: undefined };

export interface SchedulerOptions {
  /** Without the places for jobs, which are the scheduler's to share out. */
  readonly runner: Omit<RunnerContext, "places" | "hostId">;
  readonly clock: Clock;
  readonly host: { readonly id: string; readonly name: string };
  readonly limits: Limits;
  readonly requestStop: (workflowId: string) => Promise<void>;
  /** While it is short, no run and no job starts. Absent: it never is. */
  readonly disk?: Pick<DiskSpace, "shortage" | "onChange"> | undefined;
  readonly log: SchedulerLog;
}

export interface SchedulerLog {
  error(details: object, message: string): void;
  /** Absent: nobody wants to know when runs begin and end. */
  info?(details: object, message: string): void;
}

export interface Limits {
  /** On this host. */
  readonly maxRunsAtOnce: number;
  readonly maxRunsPerUser: number;
  /** What the jobs of this host may use together. */
  readonly capacity: Resources;
}

/** A wake-up may get lost, and a host may fall silent: a look now and then makes that a delay and not a hang. */
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

  /** Everything that may have been missed. */
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
    // Should driving it go wrong now, it is tried again, and the stop with it.
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
