import type { ServerServices } from "#operations/service/services";
import { DRAINING, type Draining } from "#scheduler/draining";
import { countQueued } from "#store/runs/run-queue";

export { DRAINING };

/** Progress of a server towards having nothing to do. */
export interface DrainState {
  readonly draining: Draining;
  /** Number of runs driven by this server. */
  readonly active: number;
  /** Number of queued runs in the whole database. */
  readonly queued: number;
}

type DrainContext = Pick<ServerServices, "db" | "scheduler">;

/**
 * Drains the server before an upgrade: no queued run gets its turn from now on. Everything else continues, including
 * starts, which are queued. The state is in this process alone, because the process ends next: the server that is
 * started after it works as usual.
 */
export async function drain(
  context: DrainContext,
  { handOver }: { readonly handOver: boolean },
): Promise<DrainState> {
  await context.scheduler.drain(handOver ? "handed-over" : "finishing");
  return getDrain(context);
}

/** Ends the drain. Does nothing if the server was not draining. */
export async function endDrain(context: DrainContext): Promise<DrainState> {
  context.scheduler.endDrain();
  return getDrain(context);
}

export async function getDrain({ db, scheduler }: DrainContext): Promise<DrainState> {
  return {
    draining: scheduler.draining(),
    active: scheduler.activeRuns(),
    queued: await countQueued(db),
  };
}
