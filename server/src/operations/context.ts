import type { Clock } from "#plumbing/clock";
import type { DiskSpace } from "#plumbing/disk-space";
import type { Random } from "#plumbing/ids";
import type { Engine } from "#engines/engine";
import type { Scheduler } from "#scheduler/scheduler";
import type { UserSecrets } from "#runner/user-secrets";
import type { Bundles } from "#sources/bundle";
import type { GitSource } from "#sources/git-source";
import type { Connection } from "#store/database";
import type { Capabilities } from "#workflow/capabilities";
import type { JobStandings } from "#operations/watching/job-standings";
import type { RunGraphs } from "#operations/watching/run-graphs";
import type { Watching } from "#operations/watching/watching";
import type { Language } from "#workflow/language";
import type { Retries } from "#workflow/retries";
import type { Uploads } from "#workspace/uploads";
import type { Workspaces } from "#workspace/workspaces";

/** What operations work with; `house.ts` puts it together once. */
export interface Operations {
  readonly db: Connection;
  readonly clock: Clock;
  readonly random: Random;
  readonly tokenSeal: TokenSeal;
  readonly workspaces: Workspaces;
  readonly uploads: Uploads;
  readonly git: GitSource;
  readonly bundles: Bundles;
  readonly scheduler: Scheduler;
  /** Of the data folder. */
  readonly disk: Pick<DiskSpace, "shortage" | "look" | "ensureRoom">;
  readonly jobLogs: JobLogs;
  readonly secrets: UserSecrets;
  readonly watching: Watching;
  readonly graphs: RunGraphs;
  readonly jobStandings: JobStandings;
  readonly engines: ReadonlyMap<Language, Engine>;
  readonly capabilities: Capabilities;
  readonly limits: Limits;
  /** For steps that say nothing of it; a run keeps what holds when it is started. Absent: never. */
  readonly retries?: Retries;
}

export interface Limits {
  readonly maxLogBytesInReply: number;
  /** On this host. */
  readonly maxRunsAtOnce: number;
  readonly cores: number;
}

/** Encrypts tokens at rest with the server's key. */
export interface TokenSeal {
  seal(token: string): string;
  open(sealed: string): string;
}

/** What jobs printed, wherever it is kept, as they printed it: who shows it reads it through `maskedLogs`. */
export interface JobLogs {
  /** From byte `from` on; a negative one counts from the end. */
  read(jobId: string, from: number, maxBytes: number): Promise<Buffer>;
  /** How many bytes there are by now. */
  size(jobId: string): Promise<number>;
  /** Everything that is kept of these jobs outside the database, and what they left running. */
  remove(jobIds: readonly string[]): Promise<void>;
}

/** Who is asking: an active user, signed in by a token that is neither revoked nor unknown. */
export interface Caller {
  readonly id: string;
  readonly email: string;
  readonly isAdmin: boolean;
}
