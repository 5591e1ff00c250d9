import type { Clock } from "#plumbing/clock";
import type { Connection } from "#store/database";
import { maybeWorkflow } from "#store/workflows";
import { isLive } from "#workflow/run-status";

/** How often a run is looked at. */
const LOOK_INTERVAL_MS = 200;

interface UntilOverContext {
  readonly db: Connection;
  readonly clock: Clock;
  readonly log: { error(details: object, message: string): void };
}

/** For a run that another host drives, or that is to be taken up again: answers when it is over, or `isLate` says so. */
export async function untilOver(
  context: UntilOverContext,
  workflowId: string,
  isLate: () => boolean,
): Promise<void> {
  while (!isLate() && !(await isOver(context, workflowId))) {
    await new Promise<void>((resolve) => void context.clock.after(LOOK_INTERVAL_MS, resolve));
  }
}

async function isOver({ db, log }: UntilOverContext, workflowId: string): Promise<boolean> {
  try {
    const workflow = await maybeWorkflow(db, workflowId);
    return !workflow || !isLive(workflow.status);
  } catch (error) {
    log.error({ err: error, workflow: workflowId }, "Looking at a run failed; it is tried again.");
    return false;
  }
}
