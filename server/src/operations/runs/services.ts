import type { DaskDashboards } from "#notebooks/dask-dashboards";
import type { Notebooks } from "#notebooks/notebooks";
import type { Engines } from "#operations/context";
import type { FileServices } from "#operations/files/services";
import type { RunSettings } from "#operations/runs/run-settings";
import type { ServerServices } from "#operations/service/services";
import type { AccountServices } from "#operations/users/services";
import type { SideJobs } from "#runner/jobs/side-jobs";
import type { Bundles } from "#sources/bundle";
import type { DocumentSource } from "#sources/fetch-document";
import type { GitSource } from "#sources/git-source";
import type { DataSource } from "#workflow/data-source";

/**
 * Dependencies of the operations that create, start and remove runs. The removal of a run or of a user also removes files
 * and accounts.
 */
export interface RunServices extends FileServices, AccountServices, Omit<ServerServices, "jobEndCounts"> {
  readonly git: GitSource;
  readonly documents: DocumentSource;
  /** If absent, the server fetches no inputs from addresses. */
  readonly inputSource?: Pick<DataSource, "ask" | "list">;
  readonly bundles: Bundles;
  readonly engines: Engines;
  readonly notebooks: Notebooks;
  readonly dashboards: DaskDashboards;
  readonly sideJobs: SideJobs;
  readonly runSettings: RunSettings;
}
