import type { OtherHosts } from "#app/peering";
import type { Backend } from "#backends/backend";
import type { Operations } from "#operations/operations";
import type { DefaultQuota } from "#operations/quota/limits";
import type { RunSettings } from "#operations/runs/run-settings";
import type { ScheduledReport } from "#operations/runs/scheduled-report";
import type { NotebookSettings } from "#notebooks/notebooks";
import type { NotificationSettings } from "#notifications/outbox";
import type { Clock } from "#plumbing/clock";
import type { DiskSpace } from "#plumbing/files/disk-space";
import type { Random } from "#plumbing/ids";
import type { OutageLog } from "#plumbing/outages";
import type { EngineRuntime } from "#runner/engine/engine-runtime";
import type { InputParts } from "#runner/inputs/fetch-inputs";
import type { Limits } from "#scheduler/scheduler";
import type { Gitlab } from "#sources/gitlab";
import type { DataStore } from "#workflow/data-store";
import type { Connection } from "#store/database/database";
import type { NewHost } from "#store/hosts/hosts";
import type { Language } from "#workflow/language";

/**
 * The parts of a server. The product opens the parts from its settings; tests and simulated worlds bring
 * their own. Closing the server leaves the parts open: the owner closes them.
 */
export interface ServerParts extends Pick<
  Operations,
  | "workspaces"
  | "uploads"
  | "git"
  | "documents"
  | "bundles"
  | "packing"
  | "deposits"
  | "tokenSeal"
  | "keepAdminToken"
> {
  readonly db: Connection;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: OutageLog;
  readonly disk: DiskSpace;
  /** Id of the data folder, name of the machine, and address for the other servers. */
  readonly host: NewHost;
  readonly engines: readonly RunnableEngine[];
  /** The first entry is the default backend. */
  readonly backends: readonly Backend[];
  readonly limits: ServerLimits;
  readonly runSettings?: RunSettings | undefined;
  /** Limits of users without limits of their own. By default, use is unlimited. */
  readonly defaultQuota?: DefaultQuota | undefined;
  /** If absent, the server opens no notebooks. */
  readonly notebooks?: NotebookSettings | undefined;
  /** If absent, the server sends no messages about runs by itself. */
  readonly notifications?: NotificationSettings | undefined;
  /** If absent, the server sends no status report by itself. */
  readonly scheduledReport?: ScheduledReport | undefined;
  /** If absent, people sign in with codes and tokens alone. */
  readonly signInProviders?: Operations["signInProviders"] | undefined;
  /** If absent, the server fetches no inputs from addresses. */
  readonly inputs?: Pick<InputParts, "source" | "contents"> | undefined;
  /** If absent, the server publishes no outputs. */
  readonly outputStore?: DataStore | undefined;
  /** The server that gets a copy of each run. Optional. */
  readonly shadowOf?: string | undefined;
  /** If absent, no GitLab may create runs. */
  readonly gitlab?: Gitlab | undefined;
  /** If absent, no other server shares the files of runs. */
  readonly others?: OtherHosts | undefined;
  /** Default: the runner's own. */
  readonly snapshotEveryEvents?: number | undefined;
}

/** An engine and its runtime, by language. The engine may be loaded only when a run needs it. */
export interface RunnableEngine {
  readonly language: Language;
  /** True if a specification names documents, which may declare further parameters. */
  readonly readsDocuments: boolean;
  /**
   * True if a restart decides about each job in the job's turn, and asks for finished jobs of earlier runs.
   */
  readonly findsReusable?: true;
  /** True if the engine's documents name the images of jobs. */
  readonly namesImages?: true;
  /**
   * Returns whether this machine currently meets the needs of the engine. If absent, the engine is always
   * available.
   */
  readonly isAvailable?: () => boolean;
  readonly runtime: EngineRuntime;
}

/** Returns the engines for the operations: only the engines that are available at the time of the call. */
export function hostedEngines(engines: readonly RunnableEngine[]): Operations["engines"] {
  const isAvailable = (engine: RunnableEngine) => engine.isAvailable?.() ?? true;
  return {
    get: (language) => engines.filter((one) => one.language === language).find(isAvailable),
    keys: () => engines.filter(isAvailable).map(({ language }) => language),
  };
}

export interface ServerLimits extends Limits {
  readonly maxLogBytesInReply: number;
  /** Limit on the jobs in the queue of a cluster. Optional. */
  readonly jobsInFlight?: number;
}
