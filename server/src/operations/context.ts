import type { Clock } from "#plumbing/clock";
import type { Random } from "#plumbing/ids";
import type { Signature } from "#plumbing/secrets/certificate-key";
import type { EngineRuntime } from "#runner/engine/engine-runtime";
import type { Connection } from "#store/database/database";
import type { Language } from "#workflow/language";
import type { Workspaces } from "#workspace/workspaces";

/** Dependencies that operations of all folders share. */
export interface Basics {
  readonly db: Connection;
  readonly clock: Clock;
  readonly random: Random;
  readonly tokenSeal: TokenSeal;
  readonly workspaces: Workspaces;
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

/** Encrypts tokens at rest with the server's key, and signs certificates. */
export interface TokenSeal {
  seal(token: string): string;
  open(sealed: string): string;
  sign(text: string): Signature;
}

/** User who makes the request: active, and signed in by a known token that is not revoked. */
export interface Caller {
  readonly id: string;
  readonly email: string;
  readonly isAdmin: boolean;
}
