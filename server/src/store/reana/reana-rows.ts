/** Rows of a database of REANA, in the columns that an import reads. Times are epoch milliseconds. */

export interface ReanaUser {
  readonly id: string;
  readonly email: string;
  readonly createdAtMs: number;
  /** Limits in milliseconds and bytes, 0 for no limit. Null if REANA keeps none for the user. */
  readonly cpuLimitMs: number | null;
  readonly diskLimitBytes: number | null;
  readonly periodMonths: number | null;
  readonly periodStartMs: number | null;
}

export interface ReanaToken {
  readonly userId: string;
  /** Encrypted with REANA's secret key, in base64. Null if the token was only requested. */
  readonly sealed: string | null;
  readonly status: string;
}

export interface ReanaWorkflow {
  readonly id: string;
  readonly ownerId: string;
  readonly name: string;
  readonly runMajor: number | null;
  readonly runMinor: number | null;
  readonly status: string;
  readonly specification: unknown;
  readonly inputParameters: unknown;
  readonly operationalOptions: unknown;
  readonly language: string | null;
  readonly logs: string | null;
  readonly launcherUrl: string | null;
  readonly workspacePath: string | null;
  readonly progress: unknown;
  readonly cpuMs: number | null;
  readonly createdAtMs: number;
  readonly startedAtMs: number | null;
  readonly finishedAtMs: number | null;
  readonly stoppedAtMs: number | null;
}

export interface ReanaJob {
  readonly id: string;
  readonly workflowId: string;
  readonly status: string;
  readonly name: string | null;
  readonly command: unknown;
  readonly image: string | null;
  readonly computeBackend: string | null;
  readonly outsideId: string | null;
  /** Length of the log, which is read on its own: logs have several megabytes at times. */
  readonly logBytes: number | null;
  readonly createdAtMs: number;
  readonly startedAtMs: number | null;
  readonly finishedAtMs: number | null;
}

/** A project of GitLab whose hooks have started workflows of the user. */
export interface ReanaProject {
  readonly project: string;
  readonly userId: string;
}

export interface ReanaLog {
  readonly jobId: string;
  readonly log: string;
}

export interface ReanaRule {
  readonly id: string;
  readonly workflowId: string;
  readonly pattern: string;
  readonly days: number;
  readonly status: string;
  readonly applyOnMs: number | null;
}

export interface ReanaShare {
  readonly workflowId: string;
  readonly userId: string;
  readonly message: string | null;
  readonly validUntilMs: number | null;
}
