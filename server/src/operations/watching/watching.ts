import { AccessWatch } from "#operations/watching/access-watch";
import { Lookout } from "#operations/watching/lookout";
import { lookAtRun, type RunView } from "#operations/watching/run-view";
import type { Clock } from "#plumbing/clock";
import type { Scheduler } from "#scheduler/scheduler";
import type { Connection } from "#store/database";
import type { WakeUpListener } from "#store/wake-ups";

/** What goes on being answered while a run goes on: everybody who watches the same thing shares the looking. */
export interface Watching extends WakeUpListener {
  readonly runs: Lookout<RunView>;
  /** How much a job has printed, by its id. */
  readonly logSizes: Lookout<number>;
  readonly access: AccessWatch;
}

interface WatchingOptions {
  readonly db: Connection;
  readonly clock: Clock;
  readonly jobLogs: { size(jobId: string): Promise<number> };
  readonly scheduler: Pick<Scheduler, "standing">;
  readonly log: { warn(details: object, message: string): void };
}

/** Changes of a run are told by wake-ups; one that was not heard is seen this late. */
const RUN_LOOK_INTERVAL_MS = 2000;
const RUN_REST_MS = 100;
/** Nobody tells that a job has printed something. */
const LOG_LOOK_INTERVAL_MS = 200;

export function createWatching({ db, clock, jobLogs, scheduler, log }: WatchingOptions): Watching {
  const onTrouble = (error: unknown) =>
    log.warn({ err: error }, "What some people watch could not be looked at: they ask again.");
  const runs = new Lookout<RunView>({
    clock,
    look: (id, before) => lookAtRun(db, id, before, scheduler.standing()),
    everyMs: RUN_LOOK_INTERVAL_MS,
    restMs: RUN_REST_MS,
    onTrouble,
  });
  return {
    runs,
    logSizes: new Lookout<number>({
      clock,
      look: (jobId) => jobLogs.size(jobId),
      everyMs: LOG_LOOK_INTERVAL_MS,
      restMs: LOG_LOOK_INTERVAL_MS,
      onTrouble,
    }),
    access: new AccessWatch(db, clock, onTrouble),
    hear(wakeUp) {
      if (wakeUp.kind === "run-changed") runs.hurry(wakeUp.workflowId);
    },
    afterGap: () => runs.hurryAll(),
  };
}
