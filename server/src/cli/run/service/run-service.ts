import type { Readable } from "node:stream";
import type { SpecificationSource } from "#cli/specification/specification-fault";
import type { RunStatus } from "#workflow/run/run-status";
import type { FailureReport } from "#workflow/reports";

/**
 * Carries out the runs of `reprise run`: through the server on the data folder, over HTTP, or in this process. Every
 * method rejects with an error whose message can be shown.
 */
export interface RunService {
  /** The address of the server that carries out the runs; absent if this process does. */
  readonly server?: string;
  /** Sentences for the person at the terminal. */
  readonly warnings?: readonly string[];
  /** `file` is the source of the specification, for warnings. */
  create(name: string, specification: unknown, file?: SpecificationSource): Promise<CreatedRun>;
  /** Creates a run from a Git address, with its files. */
  createFromGit(name: string, address: string): Promise<CreatedRun>;
  /** Finds a run by its name. A name without a number means the newest run of that name. */
  find(name: string): Promise<CreatedRun>;
  specification(id: string): Promise<unknown>;
  /** Copies files into the workspace with their execute bits. Each file arrives complete or not at all. */
  upload(id: string, files: readonly UploadFile[], sending: UploadOptions): Promise<void>;
  /** Returns the warning about the start, if any. */
  start(id: string, values: StartValues): Promise<string | undefined>;
  view(id: string): Promise<RunView>;
  /**
   * Calls the listener whenever the run may have changed, until the returned function has been called. Absent
   * if changes can only be found by polling.
   */
  onChange?(id: string, listener: () => void): () => Promise<void>;
  /** Returns undefined for a run that has not failed. */
  failure(id: string): Promise<FailureReport | undefined>;
  /** Returns the output of a job from byte `from` on. */
  printed(id: string, jobId: string, from: number): AsyncIterable<Uint8Array>;
  /** Stops a run. Resolves when its last process has ended, or after a timeout. */
  stop(id: string): Promise<void>;
  /** Removes a run that was never started, without a trace. */
  discard(id: string): Promise<void>;
  /**
   * Returns the files with the given name, in the given folder, or matching the pattern. Folders are not
   * listed.
   */
  list(id: string, pattern: string): Promise<readonly WorkspaceFile[]>;
  read(id: string, name: string): Promise<Readable>;
  /** Writes a file of the workspace, with its execute bit, to a path that must not exist yet. */
  fetch(id: string, name: string, target: string, onBytes: (count: number) => void): Promise<void>;
  /** Returns the names of the runs left unfinished by this process; a server would resume the runs. */
  close(): Promise<{ readonly unfinished: readonly string[] }>;
}

/** Parameters and operational options of a start. */
export interface StartValues {
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly options: Readonly<Record<string, unknown>>;
}

export interface UploadOptions {
  /** Once it is aborted, files in transit are completed and the upload rejects with the signal's reason. */
  readonly signal: AbortSignal;
  /** Called with the number of bytes copied since the last call. */
  onBytes(count: number): void;
  /** Called with the number of bytes checksummed since the last call, if a checksum is sent first. */
  onChecked(count: number): void;
  /** Called after each file. */
  onFile(): void;
}

/** A file on this machine, and its name in the workspace. */
export interface UploadFile {
  readonly name: string;
  readonly file: string;
  readonly bytes: number;
}

export interface CreatedRun {
  readonly id: string;
  /** For example `hello.1`. */
  readonly name: string;
  readonly warnings: readonly string[];
}

export interface RunView {
  readonly status: RunStatus;
  readonly waitingFor: string | undefined;
  /** Milliseconds from start to end; undefined for a run that has not ended or never started. */
  readonly tookMs: number | undefined;
  /** The number of jobs that the run will have, as far as is known. */
  readonly jobsTotal: number;
  readonly jobsFinished: number;
  /** Jobs in the order of their submission. For a run with very many jobs these may be only the newest. */
  readonly jobs: readonly JobView[];
}

export interface JobView {
  readonly id: string;
  /** The step's name, or `""`. */
  readonly step: string;
  /** `fit · task 7 (s07.txt)`, the step's name, or `""`. */
  readonly label: string;
  readonly command: string;
  /** The command for people, with paths from the workspace. */
  readonly shownCommand: string;
  /** created, running, finished, failed or stopped. A job that its backend has queued, for example for an image, is `created`. */
  readonly status: string;
  /** The reason of its end: `not-started` for a job that could not begin. Null before the end. */
  readonly reason: string | null;
  /** Milliseconds from start to end; undefined before the end. */
  readonly tookMs: number | undefined;
}

export interface WorkspaceFile {
  readonly name: string;
  readonly bytes: number;
}
