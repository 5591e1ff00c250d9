import { AccessWatch } from "#operations/watch/access-watch";
import { Lookout } from "#operations/watch/lookout";
import { lookAtRun, type RunView } from "#operations/watch/run-view";
import type { Clock } from "#plumbing/clock";
import type { Scheduler } from "#scheduler/scheduler";
import type { Connection } from "#store/database";
import type { WakeUpListener } from "#store/wake-ups";

/** Shared polling for answers that stay open while a run is live: all clients that watch the same thing share it. */
export interface Watching extends WakeUpListener {
  readonly runs: Lookout<RunView>;
  /** Number of bytes that each job has printed, by job id. */
  readonly logSizes: Lookout<number>;
  readonly access: AccessWatch;
}

interface WatchingOptions {
  readonly db: Connection;
  readonly clock: Clock;
  readonly jobLogs: { size(jobId: string): Promise<number> };
  readonly scheduler: Pick<Scheduler, "hostStatus">;
  readonly log: { warn(details: object, message: string): void };
}

/** Time after which a change is seen if its wake-up was missed. Otherwise wake-ups announce changes of a run. */
const RUN_LOOK_INTERVAL_MS = 2000;
const RUN_REST_MS = 100;
/** Interval between polls of a log's length: nothing announces that a job has printed. */
const LOG_LOOK_INTERVAL_MS = 200;

export function createWatching({ db, clock, jobLogs, scheduler, log }: WatchingOptions): Watching {
  const onTrouble = (error: unknown) =>
    log.warn({ err: error }, "Some watched runs or logs could not be polled; their clients will reconnect.");
  const runs = new Lookout<RunView>({
    clock,
    look: (id, before) => lookAtRun(db, id, before, scheduler.hostStatus()),
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
      if (wakeUp.kind === "run-changed") runs.hurry(wakeUp.runId);
    },
    afterGap: () => runs.hurryAll(),
  };
}
