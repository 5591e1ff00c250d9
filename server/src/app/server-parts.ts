import type { Backend } from "#backends/backend";
import type { Operations } from "#operations/context";
import type { DefaultQuota } from "#operations/quota/limits";
import type { Keep } from "#operations/runs/old-runs";
import type { NotebookSettings } from "#notebooks/notebooks";
import type { NotificationSettings } from "#notifications/outbox";
import type { Clock } from "#plumbing/clock";
import type { DiskSpace } from "#plumbing/files/disk-space";
import type { Random } from "#plumbing/ids";
import type { OutageLog } from "#plumbing/outages";
import type { EngineRuntime } from "#runner/engine/engine-runtime";
import type { Limits } from "#scheduler/scheduler";
import type { Gitlab } from "#sources/gitlab";
import type { Connection } from "#store/database/database";
import type { Language } from "#workflow/language";
import type { Retries } from "#workflow/job/retries";

/**
 * The parts that a server is composed of. The product opens them from its settings, tests and simulated worlds bring
 * their own. They stay open when the server is closed: their owner closes them.
 */
export interface ServerParts extends Pick<
  Operations,
  "workspaces" | "uploads" | "git" | "documents" | "bundles" | "tokenSeal" | "keepAdminToken"
> {
  readonly db: Connection;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: OutageLog;
  readonly disk: DiskSpace;
  /** Data folder that this server holds, by its id, and the machine that it is on, by its name. */
  readonly host: { readonly id: string; readonly name: string };
  readonly engines: readonly RunnableEngine[];
  /** The first one runs the jobs that name none. */
  readonly backends: readonly Backend[];
  readonly limits: ServerLimits;
  readonly retries?: Retries | undefined;
  /** Maximum number of jobs and asks of one run that are outstanding together. Default: `OUTSTANDING_DEFAULT`. */
  readonly mostOutstanding?: number | undefined;
  /** True if a run may take over jobs of its user's other runs. The default is false. */
  readonly reuseAcrossRuns?: boolean | undefined;
  /** Times to keep runs, and the contents of their events, after their end. Default: for ever. */
  readonly keep?: Keep | undefined;
  /** Limits of users without limits of their own. Default: none. */
  readonly defaultQuota?: DefaultQuota | undefined;
  /** If absent, the server opens no notebooks. */
  readonly notebooks?: NotebookSettings | undefined;
  /** If absent, the server sends no messages about runs by itself. */
  readonly notifications?: NotificationSettings | undefined;
  /** If absent, no GitLab may create runs. */
  readonly gitlab?: Gitlab | undefined;
  /** Default: the runner's own. */
  readonly snapshotEveryEvents?: number | undefined;
}

/** An engine by its language, and the runtime that holds it: it may be loaded only when a run needs it. */
export interface RunnableEngine {
  readonly language: Language;
  /** True if a specification names documents, which may declare parameters that it does not. */
  readonly readsDocuments: boolean;
  /** True if a restart decides about each job when its turn has come, and asks what earlier runs did. */
  readonly findsDone?: true;
  /** True if its documents name the images of their jobs. */
  readonly namesImages?: true;
  /** Returns whether this machine has now what the engine needs. If absent, it always has. */
  readonly isAvailable?: () => boolean;
  readonly runtime: EngineRuntime;
}

/** Returns the engines as the operations use them: those that are available at the time of the call. */
export function hostedEngines(engines: readonly RunnableEngine[]): Operations["engines"] {
  const isAvailable = (engine: RunnableEngine) => engine.isAvailable?.() ?? true;
  return {
    get: (language) => engines.filter((one) => one.language === language).find(isAvailable),
    keys: () => engines.filter(isAvailable).map(({ language }) => language),
  };
}

export interface ServerLimits extends Limits {
  readonly maxLogBytesInReply: number;
}
