import type { Clock } from "#plumbing/clock";
import { driveRun, type RunDriver, type RunnerContext } from "#runner/run-driver";
import { transaction } from "#store/database";
import { changeStatus } from "#store/workflow-status";
import { maybeWorkflow, type Workflow, workflowsInStatus } from "#store/workflows";
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

interface SchedulerOptions {
  readonly runner: RunnerContext;
  readonly clock: Clock;
  readonly maxRunsAtOnce: number;
  readonly requestStop: (workflowId: string) => Promise<void>;
  readonly log: { error(details: object, message: string): void };
}

/** How long to wait before a run whose driving went wrong (a full disk, a lost connection) is taken up again. */
const RETRY_FIRST_MS = 500;
const RETRY_MAX_MS = 30_000;
/** A wake-up may get lost; a look at the queue now and then makes that a delay and not a hang. */
const LOOK_INTERVAL_MS = 5000;

export function createScheduler(options: SchedulerOptions): Scheduler {
  const { db } = options.runner;
  const drivers = new Map<string, RunDriver>();
  /** The runs that wait to be taken up again, and how to call that off. */
  const retries = new Map<string, () => void>();
  let closing = false;
  let looking: Promise<void> | undefined;
  let lookAgain = false;
  let callOffLook: (() => void) | undefined;

  /** One driver a run: a stop may take a run up in the moment in which its turn comes. */
  function drive(workflow: Workflow, failures = 0): RunDriver {
    const known = drivers.get(workflow.id);
    if (known) return known;
    const driver = driveRun(options.runner, workflow);
    drivers.set(workflow.id, driver);
    driver.done.then(
      () => forget(workflow.id),
      (error: unknown) => tryAgain(workflow.id, failures + 1, error),
    );
    return driver;
  }

  function forget(workflowId: string): void {
    drivers.delete(workflowId);
    wake();
  }

  function tryAgain(workflowId: string, failures: number, error: unknown): void {
    drivers.delete(workflowId);
    const waitMs = Math.min(RETRY_FIRST_MS * 2 ** (failures - 1), RETRY_MAX_MS);
    options.log.error(
      { err: error, workflow: workflowId, waitMs },
      "Driving a run failed; it is taken up again.",
    );
    if (closing) return;
    retries.set(
      workflowId,
      options.clock.after(waitMs, () => void takeUp(workflowId, failures)),
    );
  }

  async function takeUp(workflowId: string, failures: number): Promise<void> {
    retries.get(workflowId)?.();
    retries.delete(workflowId);
    try {
      const workflow = await maybeWorkflow(db, workflowId);
      if (closing || drivers.has(workflowId)) return;
      if (workflow && isLive(workflow.status) && workflow.status !== "queued") drive(workflow, failures);
      else wake();
    } catch (error) {
      tryAgain(workflowId, failures + 1, error);
    }
  }

  function wake(): void {
    lookAgain = true;
    looking ??= look()
      .catch((error: unknown) =>
        options.log.error({ err: error }, "Looking at the queue failed; it is tried again."),
      )
      .finally(() => (looking = undefined));
  }

  function lookNowAndThen(): void {
    wake();
    callOffLook = options.clock.after(LOOK_INTERVAL_MS, lookNowAndThen);
  }

  async function look(): Promise<void> {
    while (lookAgain && !closing) {
      lookAgain = false;
      while (!closing && drivers.size + retries.size < options.maxRunsAtOnce) {
        const [next] = await workflowsInStatus(db, ["queued"], 1);
        if (!next) break;
        const change = {
          workflowId: next.id,
          to: "pending",
          by: "scheduler",
          atMs: options.clock.now(),
        } as const;
        const isOurs = await transaction(db, (connection) => changeStatus(connection, change));
        if (isOurs) drive({ ...next, status: "pending" });
      }
    }
  }

  async function stop(workflowId: string, waitMs: number): Promise<void> {
    if (!drivers.has(workflowId)) await takeUp(workflowId, 0);
    const driver = drivers.get(workflowId);
    if (!driver) return;
    driver.stop();
    await new Promise<void>((resolve) => {
      const callOff = options.clock.after(waitMs, resolve);
      driver.done
        .catch(() => undefined)
        .then(() => {
          callOff();
          resolve();
        });
    });
  }

  async function close({ stopJobs }: { readonly stopJobs: boolean }): Promise<void> {
    closing = true;
    callOffLook?.();
    for (const callOff of retries.values()) callOff();
    await looking;
    if (stopJobs) await stopAll();
    await Promise.all([...drivers.values()].map((driver) => driver.letGo()));
  }

  async function stopAll(): Promise<void> {
    await Promise.all([...drivers.keys()].map((id) => options.requestStop(id)));
    for (const driver of drivers.values()) driver.stop();
    await Promise.all([...drivers.values()].map((driver) => driver.done.catch(() => undefined)));
  }

  return {
    async start() {
      for (const workflow of await workflowsInStatus(db, ["pending", "running"])) drive(workflow);
      lookNowAndThen();
    },
    wake,
    stop,
    close,
  };
}
