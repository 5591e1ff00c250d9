import type { Readable } from "node:stream";

/**
 * Where the runs of `reprise run` are carried out: by the server that lives on the data folder, over HTTP, or by this
 * process itself. Whatever is asked of it is refused with a sentence.
 */
export interface RunService {
  /** The address of the server that carries the runs out; absent if this process does. */
  readonly server?: string;
  create(name: string, specification: unknown): Promise<CreatedRun>;
  /** Of a Git address, with its files. */
  createFromGit(name: string, address: string): Promise<CreatedRun>;
  specification(id: string): Promise<unknown>;
  /** Copies files into the workspace, each whole or not at all, with its execute bit. */
  upload(id: string, files: readonly SentFile[], sending: Sending): Promise<void>;
  start(id: string, parameters: Readonly<Record<string, unknown>>): Promise<void>;
  look(id: string): Promise<RunLook>;
  /** Nothing of one that has not failed. */
  failure(id: string): Promise<RunFailure | undefined>;
  /** What a job has printed, from that byte on. */
  printed(id: string, jobId: string, from: number): AsyncIterable<Uint8Array>;
  /** Answers when nothing of it runs any more, or after a while. */
  stop(id: string): Promise<void>;
  /** For one that was not started: as if it had never been. */
  discard(id: string): Promise<void>;
  /** Files alone, by name: one, those in a folder, or those that a pattern matches. */
  list(id: string, pattern: string): Promise<readonly WorkspaceFile[]>;
  read(id: string, name: string): Promise<Readable>;
  /** Writes a file of the workspace to a name that is free yet, with its execute bit. */
  fetch(id: string, name: string, target: string, onBytes: (count: number) => void): Promise<void>;
  /** Returns the names of the runs that this process leaves unfinished; a server would resume them. */
  close(): Promise<{ readonly unfinished: readonly string[] }>;
}

export interface Sending {
  /** Once it is aborted, the upload ends with its reason after the files under way. */
  readonly signal: AbortSignal;
  /** Told how many bytes more have been copied. */
  onBytes(count: number): void;
  /** Told of how many bytes more the checksum is known, where one is sent beforehand. */
  onChecked(count: number): void;
  /** Told after each file. */
  onFile(): void;
}

/** A file of this machine, and its name in the workspace. */
export interface SentFile {
  readonly name: string;
  readonly file: string;
  readonly bytes: number;
}

export interface CreatedRun {
  readonly id: string;
  /** `hello.1` */
  readonly name: string;
  readonly warnings: readonly string[];
}

export interface RunLook {
  readonly status: string;
  readonly waitingFor: string | undefined;
  /** As many jobs as the run will have, as far as is known. */
  readonly jobsTotal: number;
  readonly jobsFinished: number;
  /** In the order of their submission; of a run with very many the newest may be all. */
  readonly jobs: readonly JobLook[];
}

export interface RunFailure {
  /** Which step it was, and why. */
  readonly sentence: string;
  /** What its job printed last. */
  readonly lastLines: readonly string[];
}

export interface JobLook {
  readonly id: string;
  /** The step's name, or `""`. */
  readonly step: string;
  readonly command: string;
  /** created, running, finished, failed or stopped */
  readonly status: string;
  /** From its start to its end; absent while there is none. */
  readonly tookMs: number | undefined;
}

export interface WorkspaceFile {
  readonly name: string;
  readonly bytes: number;
}

const LIVE = ["created", "queued", "pending", "running"];

/** Whether it has come to its end. */
export function isOver(status: string): boolean {
  return !LIVE.includes(status);
}
