import type { Basics, Limits } from "#operations/context";
import type { LostJobs } from "#operations/service/lost-jobs";
import type { JobEndCounts } from "#operations/service/job-end-counts";
import type { DiskSpace } from "#plumbing/files/disk-space";
import type { Scheduler } from "#scheduler/scheduler";
import type { Capabilities } from "#workflow/capabilities";

/** Dependencies of the operations on the server itself. */
export interface ServerServices extends Basics {
  readonly scheduler: Scheduler;
  /** Disk of the data folder. */
  readonly disk: Pick<DiskSpace, "shortage" | "space" | "look" | "ensureRoom">;
  /** Ended jobs of this server, by backend and reason. */
  readonly jobEndCounts: JobEndCounts;
  readonly lostJobs: LostJobs;
  readonly capabilities: Capabilities;
  readonly limits: Limits;
}
