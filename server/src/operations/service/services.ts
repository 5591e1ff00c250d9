import type { Basics, Limits } from "#operations/context";
import type { JobEndCounts } from "#operations/service/job-end-counts";
import type { DiskSpace } from "#plumbing/files/disk-space";
import type { Scheduler } from "#scheduler/scheduler";
import type { JobRecord } from "#store/jobs/jobs";
import type { Capabilities } from "#workflow/capabilities";

/** Records in the place of a job that the job is lost. */
export interface LostJobs {
  /** Returns false if the end of the job is recorded already, or if only the host of the job can see it. */
  declare(job: Pick<JobRecord, "id" | "backend">): Promise<boolean>;
}

/** Dependencies of the operations on the server itself. */
export interface ServerServices extends Basics {
  readonly scheduler: Scheduler;
  /** Disk of the data folder. */
  readonly disk: Pick<DiskSpace, "shortage" | "space" | "sharedSpace" | "look" | "ensureRoom">;
  /** Ended jobs of this server, by backend and reason. */
  readonly jobEndCounts: JobEndCounts;
  readonly lostJobs: LostJobs;
  readonly capabilities: Capabilities;
  readonly limits: Limits;
}
