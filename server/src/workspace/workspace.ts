import { existsSync } from "node:fs";
import path from "node:path";
import type { Clock } from "#plumbing/clock";
import type { FileRecord } from "#plumbing/files/file-records";
import type { Random } from "#plumbing/ids";
import { type Deleted, deleteFiles } from "#workspace/remove/delete-files";
import { diskUsage, maybeSize, type Usage, type UsageRequest } from "#workspace/usage/disk-usage";
import { openFiles } from "#workspace/read/archive";
import { type Found, findFiles } from "#workspace/read/find-files";
import type { OpenFile } from "#workspace/read/open-file";
import type { Selection } from "#workspace/find/selection";
import type { FileThreads } from "#workspace/threads/file-threads";
import type { KeptSizes } from "#workspace/usage/kept-sizes";
import { linkedFrom } from "#workspace/find/linked-files";
import { type FileEntry, listFiles, type ListRequest } from "#workspace/find/list-files";
import { moveFiles } from "#workspace/write/move-files";
import { prunable, type Prunable, prune, removeFiles } from "#workspace/remove/prune";
import { readMany } from "#workspace/read/read-many";
import { removeWorkspace } from "#workspace/remove/remove-workspace";
import {
  type CollectedResults,
  collectResults,
  type ResultsRequest,
} from "#workspace/results/collect-results";
import { maybeStamps, type WorkspaceStamps } from "#workspace/read/stamps";
import type { ReadableRoot } from "#workspace/find/readable-place";
import { type RunFiles, runFiles } from "#workspace/run-files";
import {
  endStaging,
  forgetStaged,
  stagedJobs,
  stageFiles,
  type StageRequest,
  stagingFolderOf,
  type StagingPlaces,
} from "#workspace/staging/stage-files";
import { placeContent, type PlacedContent } from "#workspace/contents/place-content";
import { syncWorkspace } from "#workspace/write/sync-workspace";
import {
  checkPlace,
  copyFileIn,
  makeWorkspace,
  publishFile,
  writeFile,
  type WriteOptions,
} from "#workspace/write/write-file";
import { writeMany, type WrittenFiles } from "#workspace/write/write-many";

/** Parts shared by all workspaces of a server. */
export interface WorkspacesOptions {
  /** The folder that contains the folders of all workspaces. */
  readonly folder: string;
  /** Holds incoming files; on the same file system as the workspaces. */
  readonly incomingFolder: string;
  readonly fsync: boolean;
  readonly random: Random;
  readonly clock: Clock;
  readonly threads: FileThreads;
  /** True if other servers store files in the folder as well. */
  readonly areShared?: boolean | undefined;
  /** Folders outside the workspaces that every run may read: absolute paths. */
  readonly readableRoots: readonly ReadableRoot[];
}

export interface BringRequest {
  readonly id: string;
  readonly from: string;
  readonly to: string;
  /** Called after everything is copied. If it throws, the workspace is unchanged. */
  readonly beforePlacing: () => Promise<void>;
  readonly signal: AbortSignal;
}

/** `beforePublishing` is called after the whole file is copied, before it gets its name. */
export interface CopyInOptions extends Pick<WriteOptions, "beforePublishing"> {
  readonly clock: Clock;
  /** Called with the number of bytes copied since the last call. */
  readonly onBytes?: (count: number) => void;
}

export interface Written {
  readonly path: string;
  readonly bytes: number;
}

/**
 * The files of one workspace. Creating the handle does no I/O, and the folder need not exist. The folder is
 * made when the first file arrives or the run starts. A method that changes files must use `#changing`.
 */
export class Workspace {
  readonly id: string;
  /** Absolute path of the folder, whether or not it exists. */
  readonly folder: string;
  readonly #options: WorkspacesOptions;
  readonly #sizes: KeptSizes;

  constructor(options: WorkspacesOptions, sizes: KeptSizes, id: string) {
    this.id = id;
    this.folder = path.join(options.folder, id);
    this.#options = options;
    this.#sizes = sizes;
  }

  /** Makes the folder. Safe to call twice. */
  create(): Promise<void> {
    return this.#changing(() => makeWorkspace(this.#place()));
  }

  /** Moves the folder out of sight, then deletes it and the remains of earlier removals. Safe to call twice. */
  remove(): Promise<void> {
    return this.#changing(() => removeWorkspace(this.#options, this.id));
  }

  /** Writes a file, completely or not at all. An existing file is replaced. */
  write(
    name: string,
    content: AsyncIterable<Uint8Array>,
    options?: Pick<WriteOptions, "isExecutable" | "ownsChunks" | "beforePublishing">,
  ): Promise<Written> {
    return this.#changing(() =>
      writeFile({ ...this.#place(), makesFolder: true, ...options }, name, content),
    );
  }

  /** Copies a file of this machine into the workspace like `write`, with the execute bit. */
  copyIn(name: string, file: string, options: CopyInOptions): Promise<Written> {
    return this.#changing(() => copyFileIn({ ...this.#place(), makesFolder: true, ...options }, name, file));
  }

  /** Copies a stored content to its place, completely or not at all. The job may change the copy. */
  place(name: string, content: PlacedContent): Promise<Written> {
    return this.#changing(() => placeContent({ ...this.#place(), makesFolder: true }, name, content));
  }

  /** Writes many small files, each completely or not at all. Files before a refused one are kept. */
  writeMany(files: AsyncIterable<FileRecord>, beforePublishing: () => Promise<void>): Promise<WrittenFiles> {
    return this.#changing(() => writeMany({ ...this.#place(), beforePublishing }, files));
  }

  /** Moves a received file (an upload in parts) to its place, completely or not at all. */
  publish(file: string, name: string): Promise<void> {
    return this.#changing(() => publishFile(this.#place(), file, name));
  }

  /** Checks a name as a write would, and returns the clean name. */
  checkPlace(name: string): Promise<string> {
    return checkPlace(this.folder, name);
  }

  /** Syncs files written by other programs: with `fsync`, all files are on the disk when the call returns. */
  async sync(): Promise<void> {
    if (this.#options.fsync) await syncWorkspace(this.folder);
  }

  /** Returns the files as the run of this workspace asks for them, until the signal aborts (`run-files.ts`). */
  forRun(signal: AbortSignal): RunFiles {
    const files = runFiles(this.#place(), signal);
    return {
      ...files,
      appendLines: (...request) => this.#changing(() => files.appendLines(...request)),
      write: (name, text) => this.#changing(() => files.write(name, text)),
      publish: (request) => this.#changing(() => files.publish(request)),
    };
  }

  /** Puts the files of a job in place before it starts, once (`staging/stage-files.ts`). */
  stage(request: StageRequest): Promise<void> {
    return this.#changing(() => stageFiles(this.#stagingPlaces(), request));
  }

  /** Copies a folder of another workspace to a place where nothing is: whole or not at all, and once for each id. */
  bring(source: Workspace, { id, from, to, beforePlacing, signal }: BringRequest): Promise<void> {
    const entries = [{ at: to, copy: path.join(source.folder, from) }];
    const places = {
      ...this.#stagingPlaces(),
      readableRoots: [{ at: source.folder, folder: source.folder }],
    };
    return this.#changing(() =>
      stageFiles(places, { jobId: id, entries, assertLease: beforePlacing, signal }),
    );
  }

  /** Forgets the staging of finished jobs. Their ends are recorded, so they are never staged again. */
  forgetStaged(jobIds: readonly string[]): Promise<void> {
    return forgetStaged(this.#stagingPlaces().stagingFolder, jobIds);
  }

  /** Returns the jobs with staging state. */
  async stagedJobs(): Promise<readonly string[]> {
    const { stagingFolder } = this.#stagingPlaces();
    // Most runs stage nothing. Opening the folder in another thread, to find that out, took a tenth of a small run.
    return existsSync(stagingFolder) ? stagedJobs(stagingFolder) : [];
  }

  /**
   * Forgets the staged jobs of a finished run. A restart of the run may already be staging jobs of its own.
   */
  async endStaging(jobIds: readonly string[]): Promise<void> {
    const { stagingFolder } = this.#stagingPlaces();
    if (existsSync(stagingFolder)) await endStaging(stagingFolder, jobIds);
  }

  /** Reads the contents of small files. Unreadable files are left out. */
  readMany(names: readonly string[], maxBytes: number): AsyncIterable<FileRecord> {
    return readMany(this.folder, names, maxBytes);
  }

  /** Stamps the files for a later comparison (`stamps.ts`); undefined if there are more than `maxEntries`. */
  maybeStamps(maxEntries: number): Promise<WorkspaceStamps | undefined> {
    return maybeStamps(this.folder, maxEntries);
  }

  /** Records the outputs of a run that ends (`results/collect-results.ts`). */
  collectResults(request: ResultsRequest, signal: AbortSignal): Promise<CollectedResults> {
    return collectResults(this.folder, request, signal);
  }

  list(request: ListRequest): Promise<{ readonly files: FileEntry[]; readonly total: number }> {
    return listFiles(this.folder, request);
  }

  /** Returns the disk usage, as `du` counts; undefined if there are more than `maxEntries` entries. */
  async maybeUsedBytes(maxEntries: number): Promise<number | undefined> {
    return (await maybeSize(this.folder, maxEntries))?.bytes;
  }

  /** Returns the disk usage of each file and folder, as `du` counts. */
  diskUsage(request: UsageRequest): Promise<Usage[]> {
    return diskUsage(this.folder, request);
  }

  /** Opens one file, which must be read or closed, or an archive of a folder or of the matches of a glob. */
  find(pattern: string): Promise<Found> {
    return findFiles(this.folder, pattern);
  }

  /** Opens files by path, one after another. A link opens its target. */
  openFiles(isMeant: (path: string) => boolean): AsyncGenerator<OpenFile> {
    const includes: Selection["includes"] = ({ name, kind }) => kind !== "folder" && isMeant(name);
    return openFiles(this.folder, { start: undefined, includes });
  }

  /** Deletes the entries named by a path or a pattern, folders with their contents. */
  deleteFiles(wanted: string): Promise<Deleted> {
    return this.#changing(() => deleteFiles(this.#place(), wanted));
  }

  /**
   * Deletes the selected files and the folders that become empty, until `mayContinue` throws. Returns the number of files.
   */
  prune(
    isMeant: (path: string) => boolean,
    mayContinue: () => Promise<void> = async () => undefined,
  ): Promise<number> {
    return this.#changing(() => prune(this.#place(), isMeant, mayContinue));
  }

  /**
   * Returns a predicate for deletions that also spares the link targets of the named files. `isMeant` selects
   * the files to delete.
   */
  async sparing(
    names: readonly string[],
    isMeant: (path: string) => boolean,
  ): Promise<(path: string) => boolean> {
    const isLinked = await linkedFrom(this.folder, names);
    return (name) => isMeant(name) && !isLinked(name);
  }

  /** Deletes files by their paths, and the emptied folders, until `mayContinue` throws. */
  removeFiles(paths: readonly string[], mayContinue: () => Promise<void>): Promise<void> {
    return this.#changing(() => removeFiles(this.#place(), paths, mayContinue));
  }

  /** Returns what `prune` would delete, with the names of at most `maxFiles`. */
  prunable(isMeant: (path: string) => boolean, maxFiles: number): Promise<Prunable> {
    return prunable(this.folder, isMeant, maxFiles);
  }

  /** Moves entries as `mv` does; several sources only into a folder. */
  moveFiles(source: string, target: string): Promise<void> {
    return this.#changing(() => moveFiles(this.#place(), source, target));
  }

  #stagingPlaces(): StagingPlaces {
    const stagingFolder = stagingFolderOf(this.#options.folder, this.id);
    const { fsync, random, readableRoots } = this.#options;
    return { workspaceFolder: this.folder, readableRoots, stagingFolder, fsync, random };
  }

  #place(): WorkspacesOptions {
    return { ...this.#options, folder: this.folder };
  }

  #changing<Result>(change: () => Promise<Result>): Promise<Result> {
    return this.#sizes.changing(this.id, change);
  }
}
