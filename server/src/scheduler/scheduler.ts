import { crashPoint } from "#plumbing/crash-points";
import { messageOf } from "#plumbing/errors";
import { type Clock, toWireTime } from "#plumbing/clock";
import { driveRun, type RunDriver, type RunnerContext } from "#runner/run-driver";
import { maybeNextRun } from "#scheduler/admission";
import { createHeartbeat } from "#scheduler/heartbeat";
import { createPlaces } from "#scheduler/places";
import { transaction } from "#store/database";
import {
  heldRunsToStop,
  type Lease,
  LeaseLostError,
  maybeTakeLease,
  runsToTake,
  setWaitingFor,
} from "#store/leases";
import { changeStatus } from "#store/workflow-status";
import { maybeWorkflow, type Workflow } from "#store/workflows";
import type { Resources } from "#workflow/job";
import { isLive } from "#workflow/run-status";

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
  /** Lets go of all runs; with `stopJobs` they are stopped first, else their jobs go on for the next server to find. */
  close(options: { readonly stopJobs: boolean }): Promise<void>;
}

export interface SchedulerOptions {
  /** Without the places for jobs, which are the scheduler's to share out. */
  readonly runner: Omit<RunnerContext, "places" | "hostId">;
  readonly clock: Clock;
  readonly host: { readonly id: string; readonly name: string };
  readonly limits: Limits;
  readonly requestStop: (workflowId: string) => Promise<void>;
  readonly log: { error(details: object, message: string): void };
}

export interface Limits {
  /** On this host. */
  readonly maxRunsAtOnce: number;
  readonly maxRunsPerUser: number;
  /** What the jobs of this host may use together. */
  readonly capacity: Resources;
}

/** How long to wait before a run whose driving went wrong (a full disk, a lost connection) is taken up again. */
const RETRY_FIRST_MS = 500;
const RETRY_MAX_MS = 30_000;
/** A wake-up may get lost, and a host may fall silent: a look now and then makes that a delay and not a hang. */
const LOOK_INTERVAL_MS = 5000;
/** How often a stop that another host carries out is looked at. */
const STOP_LOOK_INTERVAL_MS = 200;

export function createScheduler(options: SchedulerOptions): Scheduler {
  const { clock, host, limits, log } = options;
  const { db } = options.runner;
  const runner: RunnerContext = {
    ...options.runner,
    hostId: host.id,
    places: createPlaces(limits.capacity),
  };
  const drivers = new Map<string, RunDriver>();
  /** The runs that wait to be taken up again, and how to call that off. */
  const retries = new Map<string, () => void>();
  /** Runs whose lease is being taken at this moment. */
  const taking = new Set<string>();
  const heartbeat = createHeartbeat({
    db,
    clock,
    host,
    log,
    onLost: letGoOfAll,
    onBack: () => void lookAtAll(),
  });
  let closing = false;
  let looking: Promise<void> | undefined;
  let lookAgain = false;
  let callOffLook: (() => void) | undefined;

  function drive(workflow: Workflow, lease: Lease, failures = 0): void {
    const driver = driveRun(runner, workflow, lease);
    const beganAtMs = clock.elapsedMs();
    // After it has gone well for a while, going wrong is new.
    const failuresNow = () => (clock.elapsedMs() - beganAtMs > RETRY_MAX_MS ? 1 : failures + 1);
    drivers.set(workflow.id, driver);
    // One that we have let go of is nothing to us any more.
    const isOurs = () => drivers.get(workflow.id) === driver;
    driver.done.then(
      () => isOurs() && forget(workflow.id),
      (error: unknown) => isOurs() && failed(workflow.id, failuresNow(), error),
    );
  }

  function forget(workflowId: string): void {
    drivers.delete(workflowId);
    wake();
  }

  function failed(workflowId: string, failures: number, error: unknown): void {
    drivers.delete(workflowId);
    // Somebody else goes on with it; should nobody, the next look finds it free.
    if (error instanceof LeaseLostError) return;
    tryAgain(workflowId, failures, error);
  }

  function tryAgain(workflowId: string, failures: number, error: unknown): void {
    const waitMs = Math.min(RETRY_FIRST_MS * 2 ** (failures - 1), RETRY_MAX_MS);
    log.error({ err: error, workflow: workflowId, waitMs }, "Driving a run failed; it is taken up again.");
    if (closing) return;
    retries.set(
      workflowId,
      clock.after(waitMs, () => void takeUp(workflowId, failures)),
    );
    const next = toWireTime(clock.now() + waitMs).replace("T", " ");
    const sentence = `The server could not go on with it (${outline(error)}). It tries again by itself, at ${next} UTC.`;
    setWaitingFor(db, { workflowId, hostId: host.id }, sentence).catch((writing: unknown) =>
      log.error({ err: writing, workflow: workflowId }, "What a run waits for could not be written down."),
    );
  }

  /** Takes up a run that had its turn before, unless it is driven already, here or elsewhere. */
  async function takeUp(workflowId: string, failures = 0): Promise<void> {
    retries.get(workflowId)?.();
    retries.delete(workflowId);
    if (closing || !heartbeat.isSure() || drivers.has(workflowId) || taking.has(workflowId)) return;
    taking.add(workflowId);
    try {
      const lease = await transaction(db, (connection) => maybeTakeLease(connection, workflowId, host.id));
      if (lease) crashPoint("lease-taken");
      const workflow = lease && (await maybeWorkflow(db, workflowId));
      if (workflow && !closing) drive(workflow, lease, failures);
    } catch (error) {
      tryAgain(workflowId, failures + 1, error);
    } finally {
      taking.delete(workflowId);
    }
  }

  /** Everything that may have been missed. */
  async function lookAtAll(): Promise<void> {
    wake();
    if (!heartbeat.isSure()) return;
    try {
      const free = await runsToTake(db, host.id);
      const waiting = free.filter(({ id }) => !retries.has(id));
      await Promise.all(waiting.map(({ id }) => takeUp(id)));
      for (const id of await heldRunsToStop(db, host.id)) drivers.get(id)?.stop();
    } catch (error) {
      log.error({ err: error }, "Looking for runs to go on with failed; it is tried again.");
    }
  }

  function lookNowAndThen(): void {
    callOffLook = clock.after(LOOK_INTERVAL_MS, () => {
      lookNowAndThen();
      void lookAtAll();
    });
  }

  function wake(): void {
    lookAgain = true;
    looking ??= look()
      .catch((error: unknown) => log.error({ err: error }, "Looking at the queue failed; it is tried again."))
      .finally(() => (looking = undefined));
  }

  async function look(): Promise<void> {
    while (lookAgain && canBegin()) {
      lookAgain = false;
      while (canBegin()) {
        const next = await maybeNextRun(db, { maxPerUser: limits.maxRunsPerUser });
        if (!next) break;
        await begin(next);
      }
    }
  }

  function canBegin(): boolean {
    const held = drivers.size + retries.size + taking.size;
    return !closing && heartbeat.isSure() && held < limits.maxRunsAtOnce;
  }

  async function begin(run: Workflow): Promise<void> {
    taking.add(run.id);
    try {
      const change = { workflowId: run.id, to: "pending", by: "scheduler", atMs: clock.now() } as const;
      const lease = await transaction(db, async (connection) =>
        (await changeStatus(connection, change)) ? maybeTakeLease(connection, run.id, host.id) : undefined,
      );
      crashPoint("turn-recorded");
      if (lease && !closing) drive({ ...run, status: "pending" }, lease);
    } finally {
      taking.delete(run.id);
    }
  }

  async function stop(workflowId: string, waitMs: number): Promise<void> {
    await takeUp(workflowId);
    const driver = drivers.get(workflowId);
    driver?.stop();
    // Should driving it go wrong now, it is tried again, and the stop with it.
    const ended = driver
      ? driver.done.catch(() => untilOver(workflowId, waitMs))
      : untilOver(workflowId, waitMs);
    let callOff: (() => void) | undefined;
    const isLate = new Promise<void>((resolve) => (callOff = clock.after(waitMs, resolve)));
    await Promise.race([ended, isLate]);
    callOff?.();
  }

  /** Of a run that another host drives, or that is to be taken up again. */
  async function untilOver(workflowId: string, waitMs: number): Promise<void> {
    const beganAtMs = clock.elapsedMs();
    while (!closing && clock.elapsedMs() - beganAtMs < waitMs) {
      if (await isOver(workflowId)) return;
      await new Promise<void>((resolve) => void clock.after(STOP_LOOK_INTERVAL_MS, resolve));
    }
  }

  async function isOver(workflowId: string): Promise<boolean> {
    try {
      const workflow = await maybeWorkflow(db, workflowId);
      return !workflow || !isLive(workflow.status);
    } catch (error) {
      log.error({ err: error, workflow: workflowId }, "Looking at a run failed; it is tried again.");
      return false;
    }
  }

  /** Without a word in the database: by now all this may be another's. Jobs go on. */
  function letGoOfAll(): void {
    const all = [...drivers.values()];
    drivers.clear();
    for (const driver of all) void driver.letGo();
  }

  async function close({ stopJobs }: { readonly stopJobs: boolean }): Promise<void> {
    closing = true;
    callOffLook?.();
    for (const callOff of retries.values()) callOff();
    await looking;
    if (stopJobs) await stopAll();
    await Promise.all([...drivers.values()].map((driver) => driver.letGo()));
    await heartbeat.stop();
  }

  async function stopAll(): Promise<void> {
    await Promise.all([...drivers.keys()].map((id) => options.requestStop(id)));
    for (const driver of drivers.values()) driver.stop();
    await Promise.all([...drivers.values()].map((driver) => driver.done.catch(() => undefined)));
  }

  return {
    async start() {
      await heartbeat.start();
      lookNowAndThen();
      await lookAtAll();
    },
    wake,
    stop,
    close,
  };
}

/** Of a fault as much as a user may know: what the system said, without the place where it said so. */
function outline(error: unknown): string {
  const [, said] = /^E[A-Z0-9]+: ([^,]+)/.exec(messageOf(error)) ?? [];
  return said ?? "the server's log has the reason";
}
