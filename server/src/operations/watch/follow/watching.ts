import type { JobLogs, LogAddress } from "#operations/stored-logs";
import { AccessWatch } from "#operations/watch/follow/access-watch";
import { SharedPoller } from "#operations/watch/follow/shared-poller";
import { lookAtRun, type RunView } from "#operations/watch/progress/run-view";
import type { Clock } from "#plumbing/clock";
import type { Scheduler } from "#scheduler/scheduler";
import type { Connection } from "#store/database/database";
import type { WakeUpListener } from "#store/database/wake-ups";

/**
 * Shared polling for responses kept open while a run is live: all clients watching the same resource share
 * one poller.
 */
export interface Watching extends WakeUpListener {
  readonly runs: SharedPoller<RunView>;
  /** Number of bytes printed by each job, by the address of the log. */
  readonly logSizes: SharedPoller<number>;
  readonly access: AccessWatch;
}

interface WatchingOptions {
  readonly db: Connection;
  readonly clock: Clock;
  readonly jobLogs: Pick<JobLogs, "size">;
  readonly scheduler: Pick<Scheduler, "hostStatus">;
  readonly log: { warn(details: object, message: string): void };
}

/** Time after which a change is seen if its wake-up was missed. Otherwise wake-ups announce changes of a run. */
const RUN_POLL_INTERVAL_MS = 2000;
const RUN_REST_MS = 100;
/** Interval between polls of a log's length, because printed output causes no wake-up. */
const LOG_POLL_INTERVAL_MS = 200;

export function createWatching({ db, clock, jobLogs, scheduler, log }: WatchingOptions): Watching {
  const onError = (error: unknown) =>
    log.warn({ err: error }, "Some watched runs or logs could not be polled; their clients will reconnect.");
  const runs = new SharedPoller<RunView>({
    clock,
    poll: (id, before) => lookAtRun(db, id, before, scheduler.hostStatus()),
    everyMs: RUN_POLL_INTERVAL_MS,
    restMs: RUN_REST_MS,
    onError,
  });
  return {
    runs,
    logSizes: new SharedPoller<number>({
      clock,
      poll: (address) => jobLogs.size(address as LogAddress),
      everyMs: LOG_POLL_INTERVAL_MS,
      restMs: LOG_POLL_INTERVAL_MS,
      onError,
    }),
    access: new AccessWatch(db, clock, onError),
    hear(wakeUp) {
      if (wakeUp.kind === "run-changed") runs.pollNow(wakeUp.runId);
    },
    afterGap: () => runs.pollAllNow(),
  };
}
