import type { Basics } from "#operations/context";
import type { Quotas } from "#operations/quota/quotas";
import type { LatePublications } from "#runner/outputs/late-publications";
import type { JobLogs } from "#operations/stored-logs";
import type { DiskSpace } from "#plumbing/files/disk-space";
import type { Uploads } from "#workspace/write/uploads";

/** Dependencies of the operations on the files of runs. */
export interface FileServices extends Basics {
  readonly uploads: Uploads;
  /** Disk of the data folder. */
  readonly disk: Pick<DiskSpace, "shortage" | "space" | "sharedSpace" | "look" | "ensureRoom">;
  readonly jobLogs: JobLogs;
  readonly quotas: Quotas;
  readonly latePublications: LatePublications;
  /** Workspaces of deleted runs whose removal has failed and will be tried again. */
  readonly unfinishedRemovals: Set<string>;
}
