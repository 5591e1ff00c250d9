import type { Basics, Limits } from "#operations/context";
import type { JobLogs } from "#operations/stored-logs";
import type { Watching } from "#operations/watch/follow/watching";
import type { JobStateCache } from "#operations/watch/progress/job-state-cache";
import type { FileIndex } from "#operations/watch/origin/file-index";
import type { RunGraphs } from "#operations/watch/progress/run-graphs";
import type { UserSecrets } from "#runner/jobs/user-secrets";
import type { Scheduler } from "#scheduler/scheduler";

/** Dependencies of the operations that show a run. */
export interface WatchServices extends Basics {
  readonly watching: Watching;
  readonly graphs: RunGraphs;
  /** The index of the files of ended runs by their content. */
  readonly fileIndex: FileIndex;
  readonly jobStateCache: JobStateCache;
  readonly jobLogs: JobLogs;
  readonly secrets: UserSecrets;
  readonly scheduler: Scheduler;
  readonly limits: Limits;
}
