import type { Outbox } from "#notifications/outbox";
import type { Notebooks } from "#notebooks/notebooks";
import type { Clock } from "#plumbing/clock";
import type { DiskSpace } from "#plumbing/files/disk-space";
import type { Random } from "#plumbing/ids";
import type { EngineRuntime } from "#runner/engine/engine-runtime";
import type { Scheduler } from "#scheduler/scheduler";
import type { SideJobs } from "#runner/jobs/side-jobs";
import type { UserSecrets } from "#runner/jobs/user-secrets";
import type { Bundles } from "#sources/bundle";
import type { DocumentSource } from "#sources/fetch-document";
import type { GitSource } from "#sources/git-source";
import type { Gitlab } from "#sources/gitlab";
import type { Connection } from "#store/database/database";
import type { Capabilities } from "#workflow/capabilities";
import type { Quotas } from "#operations/quota/quotas";
import type { JobEndCounts } from "#operations/service/job-end-counts";
import type { JobLogs } from "#operations/stored-logs";
import type { JobStateCache } from "#operations/watch/progress/job-state-cache";
import type { RunGraphs } from "#operations/watch/progress/run-graphs";
import type { Watching } from "#operations/watch/follow/watching";
import type { Language } from "#workflow/language";
import type { Retries } from "#workflow/job/retries";
import type { Uploads } from "#workspace/write/uploads";
import type { Workspaces } from "#workspace/workspaces";

/** Dependencies of the operations; `app/compose.ts` puts them together once. */
export interface Operations {
  readonly db: Connection;
  readonly clock: Clock;
  readonly random: Random;
  readonly tokenSeal: TokenSeal;
  /**
   * Writes a token of the oldest administrator into the data folder, for commands run next to the server.
   * Optional: if absent, the next start writes the token.
   */
  readonly keepAdminToken?: () => Promise<void>;
  readonly workspaces: Workspaces;
  readonly uploads: Uploads;
  readonly git: GitSource;
  readonly documents: DocumentSource;
  readonly bundles: Bundles;
  /** If absent, no GitLab may create runs. */
  readonly gitlab?: Gitlab;
  readonly scheduler: Scheduler;
  /** Disk of the data folder. */
  readonly disk: Pick<DiskSpace, "shortage" | "space" | "look" | "ensureRoom">;
  readonly jobLogs: JobLogs;
  readonly secrets: UserSecrets;
  readonly quotas: Quotas;
  readonly notebooks: Notebooks;
  readonly sideJobs: SideJobs;
  readonly outbox: Outbox;
  /** Workspaces of deleted runs whose removal has failed and will be tried again. */
  readonly unfinishedRemovals: Set<string>;
  readonly watching: Watching;
  readonly graphs: RunGraphs;
  /** Ended jobs of this server, by backend and reason. */
  readonly jobEndCounts: JobEndCounts;
  readonly jobStateCache: JobStateCache;
  readonly engines: Engines;
  readonly capabilities: Capabilities;
  readonly limits: Limits;
  /** Time before an ended run is deleted. Optional: if absent, runs are kept. */
  readonly keepRunsMs?: number;
  /**
   * Default for steps without a number of retries. A run keeps the default in force at its start. Optional:
   * without a default, steps are not retried.
   */
  readonly retries?: Retries;
  /** Maximum number of jobs and asks of a run that are outstanding together, kept like `retries`. */
  readonly mostOutstanding?: number;
  /** Set if a run may take over jobs of other runs of its user, kept like `retries`. */
  readonly reuseAcrossRuns?: true;
}

/**
 * The engines as the operations use them. A question to an engine is answered where it runs: in this process for serial,
 * in a worker process for engines with expressions.
 */
export interface Engines {
  get(language: Language): HostedEngine | undefined;
  /** Returns the languages supported by this server now. */
  keys(): Iterable<Language>;
}

interface HostedEngine {
  readonly runtime: EngineRuntime;
  /** True if a specification refers to documents with parameters of their own. */
  readonly readsDocuments: boolean;
  /** True if a restart decides about each job when its turn has come, and asks what earlier runs did. */
  readonly findsReusable?: true;
  /** True if the documents of a specification name the images of jobs. */
  readonly namesImages?: true;
}

export interface Limits {
  readonly maxLogBytesInReply: number;
  /** For this host. */
  readonly maxRunsAtOnce: number;
  readonly cores: number;
}

/** Encrypts tokens at rest with the server's key. */
export interface TokenSeal {
  seal(token: string): string;
  open(sealed: string): string;
}

/** User who makes the request: active, and signed in by a known token that is not revoked. */
export interface Caller {
  readonly id: string;
  readonly email: string;
  readonly isAdmin: boolean;
}
