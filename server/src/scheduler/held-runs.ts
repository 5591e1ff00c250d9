import { type Clock, toWireTime } from "#plumbing/clock";
import { crashPoint } from "#plumbing/crash-points";
import { messageOf } from "#plumbing/errors";
import { driveRun, type RunDriver, type RunnerContext } from "#runner/run-driver";
import { transaction } from "#store/database";
import { type Lease, LeaseLostError, maybeTakeLease, setWaitingFor } from "#store/leases";
import { changeStatus } from "#store/workflow-status";
import { maybeWorkflow, type Workflow } from "#store/workflows";
import { fullName } from "#workflow/run-name";

/** The runs that this host drives, is about to take, or has postponed because driving them failed. */
export interface HeldRuns {
  count(): number;
  /** Gives a queued run its turn, unless another host has. */
  begin(run: Workflow): Promise<void>;
  /** Resumes a run that had its turn before, unless it is already driven, here or elsewhere. */
  takeUp(workflowId: string): Promise<void>;
  /** Whether the run is postponed, and will be resumed automatically. */
  isPutOff(workflowId: string): boolean;
  maybeDriver(workflowId: string): RunDriver | undefined;
  drivers(): readonly RunDriver[];
  /** Lets go of all runs without writing to the database: another host may hold them already. Jobs keep running. */
  letGoOfAll(): void;
  /** Resolves when no run is driven or about to be. They are still this host's; jobs keep running. */
  handOver(): Promise<void>;
  /** Stops taking runs. Resolves when none is being taken; those that are driven still are. */
  takeNoMore(): Promise<void>;
}

interface HeldRunsOptions {
  readonly runner: RunnerContext;
  readonly clock: Clock;
  /** Whether what this host takes is certainly its own. */
  readonly isSure: () => boolean;
  /** Called when a run has ended, so that another may start. */
  readonly onEnd: () => void;
  readonly log: {
    error(details: object, message: string): void;
    info?(details: object, message: string): void;
  };
}

/**
 * The delay before a run whose driving failed (a full disk, a lost connection) is resumed. It doubles up to the
 * maximum.
 */
const RETRY_FIRST_MS = 500;
const RETRY_MAX_MS = 30_000;

export function createHeldRuns({ runner, clock, isSure, onEnd, log }: HeldRunsOptions): HeldRuns {
  const { db, hostId } = runner;
  const drivers = new Map<string, RunDriver>();
  /** Functions that cancel the retry of a postponed run. */
  const putOff = new Map<string, () => void>();
  const taking = new Map<string, Promise<void>>();
  let isClosed = false;

  function drive(workflow: Workflow, lease: Lease, failures = 0): void {
    const driver = driveRun(runner, workflow, lease);
    const beganAtMs = clock.elapsedMs();
    // After a while without failures, counting starts again.
    const failuresNow = () => (clock.elapsedMs() - beganAtMs > RETRY_MAX_MS ? 1 : failures + 1);
    drivers.set(workflow.id, driver);
    // False for a driver that this host has let go of: its result no longer matters.
    const isOurs = () => drivers.get(workflow.id) === driver;
    driver.done.then(
      () => isOurs() && ended(workflow.id),
      (error: unknown) => isOurs() && failed(workflow.id, failuresNow(), error),
    );
  }

  function ended(workflowId: string): void {
    drivers.delete(workflowId);
    onEnd();
    if (log.info) void logEnd(workflowId);
  }

  async function logEnd(workflowId: string): Promise<void> {
    try {
      const run = await maybeWorkflow(db, workflowId);
      if (!run) return;
      const ms = (run.finishedAtMs ?? run.stoppedAtMs ?? clock.now()) - (run.startedAtMs ?? run.createdAtMs);
      log.info?.({ ...nameOf(run), status: run.status, ms }, "run ended");
    } catch (error) {
      log.error({ err: error, workflow: workflowId }, "How a run ended could not be read for the log.");
    }
  }

  function failed(workflowId: string, failures: number, error: unknown): void {
    drivers.delete(workflowId);
    // Another server drives it. If none does, the next look finds it free.
    if (error instanceof LeaseLostError) return;
    tryAgain(workflowId, failures, error);
  }

  function tryAgain(workflowId: string, failures: number, error: unknown): void {
    const waitMs = Math.min(RETRY_FIRST_MS * 2 ** (failures - 1), RETRY_MAX_MS);
    log.error({ err: error, workflow: workflowId, waitMs }, "Driving a run failed; it is taken up again.");
    if (isClosed) return;
    putOff.set(
      workflowId,
      clock.after(waitMs, () => void takeUp(workflowId, failures)),
    );
    const next = toWireTime(clock.now() + waitMs).replace("T", " ");
    const sentence = `The server could not continue this run (${outline(error)}). It will try again at ${next} UTC.`;
    setWaitingFor(db, { workflowId, hostId }, sentence).catch((writing: unknown) =>
      log.error({ err: writing, workflow: workflowId }, "What a run waits for could not be written down."),
    );
  }

  async function takeUp(workflowId: string, failures = 0): Promise<void> {
    putOff.get(workflowId)?.();
    putOff.delete(workflowId);
    const underWay = taking.get(workflowId);
    if (underWay) return underWay.catch(() => undefined);
    if (isClosed || !isSure() || drivers.has(workflowId)) return;
    await whileTaking(workflowId, async () => {
      try {
        const lease = await transaction(db, (connection) => maybeTakeLease(connection, workflowId, hostId));
        if (lease) crashPoint("lease-taken");
        const workflow = lease && (await maybeWorkflow(db, workflowId));
        if (workflow && !isClosed) drive(workflow, lease, failures);
      } catch (error) {
        tryAgain(workflowId, failures + 1, error);
      }
    });
  }

  function begin(run: Workflow): Promise<void> {
    return whileTaking(run.id, async () => {
      const change = { workflowId: run.id, to: "pending", by: "scheduler", atMs: clock.now() } as const;
      const lease = await transaction(db, async (connection) =>
        (await changeStatus(connection, change)) ? maybeTakeLease(connection, run.id, hostId) : undefined,
      );
      crashPoint("turn-recorded");
      if (lease) log.info?.(nameOf(run), "run began");
      if (lease && !isClosed) drive({ ...run, status: "pending" }, lease);
    });
  }

  /** Takes a run. Another request for the same run waits for this one. */
  function whileTaking(workflowId: string, take: () => Promise<void>): Promise<void> {
    const underWay = take().finally(() => taking.delete(workflowId));
    taking.set(workflowId, underWay);
    return underWay;
  }

  return {
    count: () => drivers.size + putOff.size + taking.size,
    begin,
    takeUp: (workflowId) => takeUp(workflowId),
    isPutOff: (workflowId) => putOff.has(workflowId),
    maybeDriver: (workflowId) => drivers.get(workflowId),
    drivers: () => [...drivers.values()],
    letGoOfAll() {
      const all = [...drivers.values()];
      drivers.clear();
      for (const driver of all) void driver.letGo();
    },
    async handOver() {
      for (const callOff of putOff.values()) callOff();
      putOff.clear();
      await Promise.allSettled(taking.values());
      const all = [...drivers.values()];
      drivers.clear();
      await Promise.all(all.map((driver) => driver.letGo()));
    },
    async takeNoMore() {
      isClosed = true;
      for (const callOff of putOff.values()) callOff();
      await Promise.allSettled(taking.values());
    },
  };
}

function nameOf(run: Workflow): { workflow: string; run: string; user: string } {
  return { workflow: run.id, run: fullName(run.name, run.runMajor, run.runMinor), user: run.ownerId };
}

/** Returns as much of a fault as a user may know: the system's message, without the path. */
function outline(error: unknown): string {
  const [, said] = /^E[A-Z0-9]+: ([^,]+)/.exec(messageOf(error)) ?? [];
  return said ?? "the server's log has the reason";
}
