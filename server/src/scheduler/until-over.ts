import type { Clock } from "#plumbing/clock";
import type { Connection } from "#store/database/database";
import { maybeRun } from "#store/runs/runs";
import { isLive } from "#workflow/run/run-status";

/** Interval between checks of a run. */
const LOOK_INTERVAL_MS = 200;

interface UntilOverContext {
  readonly db: Connection;
  readonly clock: Clock;
  readonly log: { error(details: object, message: string): void };
}

/** Waits for the end of a run that another host drives, or that is to be resumed. Returns early if `isLate` is true. */
export async function untilOver(
  context: UntilOverContext,
  runId: string,
  isLate: () => boolean,
): Promise<void> {
  while (!isLate() && (await isStillLive(context, runId))) {
    await new Promise<void>((resolve) => void context.clock.after(LOOK_INTERVAL_MS, resolve));
  }
}

async function isStillLive({ db, log }: UntilOverContext, runId: string): Promise<boolean> {
  try {
    const run = await maybeRun(db, runId);
    return run !== undefined && isLive(run.status);
  } catch (error) {
    log.error({ err: error, workflow: runId }, "A run could not be read; it will be read again.");
    return true;
  }
}
