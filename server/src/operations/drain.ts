import type { Operations } from "#operations/context";
import { DRAINING, type Draining } from "#scheduler/draining";
import { countQueued } from "#store/run-queue";

export { DRAINING };

/** How far a server is with having nothing to do. */
export interface DrainState {
  readonly draining: Draining;
  /** Runs that this server drives. */
  readonly underWay: number;
  /** Runs of the whole database that wait for their turn. */
  readonly queued: number;
}

type Context = Pick<Operations, "db" | "scheduler">;

/**
 * Before an upgrade: from now on no queued run gets its turn. Everything else goes on, starts included: they are queued.
 * Kept in this process alone, because what follows is its end: the server that is started next works as ever.
 */
export async function drain(
  context: Context,
  { handOver }: { readonly handOver: boolean },
): Promise<DrainState> {
  await context.scheduler.drain(handOver ? "handed-over" : "finishing");
  return getDrain(context);
}

/** The server works as ever. Safe when it did. */
export async function endDrain(context: Context): Promise<DrainState> {
  context.scheduler.endDrain();
  return getDrain(context);
}

export async function getDrain({ db, scheduler }: Context): Promise<DrainState> {
  return {
    draining: scheduler.draining(),
    underWay: scheduler.runsUnderWay(),
    queued: await countQueued(db),
  };
}
