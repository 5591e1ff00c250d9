import { mkdir } from "node:fs/promises";
import path from "node:path";
import type { Readable } from "node:stream";
import type { Clock } from "#plumbing/clock";
import { crashPoint } from "#plumbing/crash-points";
import { Refusal } from "#plumbing/errors";
import type { Random } from "#plumbing/ids";
import { syncFolder } from "#plumbing/files/sync-folder";
import { survey, zipStream } from "#workspace/archive";
import {
  checksumFile,
  type FolderListing,
  type FolderRequest,
  listFolder,
  openFileOrRefuse,
  readBeginning,
} from "#workspace/ask-files";
import type { ComparisonRequest, WorkspaceComparison } from "#workspace/comparison/comparison";
import { comparingFewAtOnce } from "#workspace/comparison/compare-workspaces";
import { type CopyRequest, copyTree, type TreeCopy } from "#workspace/copy-tree";
import { type Deleted, deleteFiles } from "#workspace/delete-files";
import { diskUsage, maybeSize, type Usage, type UsageRequest } from "#workspace/disk-usage";
import { type CountedSize, KeptSizes, type SizeWanted } from "#workspace/kept-sizes";
import { hasMagic } from "#plumbing/text/glob";
import { type FileEntry, listFiles, type ListRequest } from "#workspace/list-files";
import { moveFiles } from "#workspace/move-files";
import { maybeOpen, type OpenFile } from "#workspace/open-file";
import { prune } from "#workspace/prune";
import { readMany } from "#workspace/read-many";
import { moveFolder, removeTree } from "#workspace/remove-tree";
import { maybeLstat } from "#workspace/safe-path";
import { collectResults, type ResultsRequest } from "#workspace/results/collect-results";
import type { InputStamp } from "#workflow/file-stamps";
import type { Results } from "#workflow/results";
import { filesBelow, matchedFiles } from "#workspace/selection";
import { syncTree } from "#workspace/sync-tree";
import { type WorkspaceStamps, maybeStamps, maybeInputStamps } from "#workspace/stamps";
import type { FileRecord } from "#plumbing/files/file-records";
import { writeMany, type WrittenFiles } from "#workspace/write-many";
import {
  checkPlace,
  clearIncoming,
  copyFileIn,
  makeWorkspace,
  publishFile,
  writeFile,
  type WriteOptions,
} from "#workspace/write-file";

/** Files of all runs: one folder each, made when the first file arrives or the run starts. */
export interface Workspaces {
  /** The folder that contains the folders of all runs. */
  readonly root: string;
  /** Returns the absolute path of a run's folder, whether or not it exists. */
  folder(workspaceId: string): string;
  /** Makes the folder. Safe to call twice. */
  create(workspaceId: string): Promise<void>;
  /** Moves the folder out of sight, then deletes it and the remains of earlier removals. Safe to call twice. */
  remove(workspaceId: string): Promise<void>;
  /** Writes a file, completely or not at all. An existing file is replaced. */
  write(
    workspaceId: string,
    name: string,
    content: AsyncIterable<Uint8Array>,
    options?: Pick<WriteOptions, "isExecutable" | "beforePublishing">,
  ): Promise<Written>;
  /** Copies a file of this machine into the workspace in the same way, with its execute bit. */
  copyIn(workspaceId: string, name: string, file: string, options: CopyInOptions): Promise<Written>;
  /**
   * Writes a file on behalf of a run; refused if its workspace does not exist. A server that was suspended must not
   * bring back the files of a run that has been deleted.
   */
  writeForRun(workspaceId: string, name: string, content: AsyncIterable<Uint8Array>): Promise<Written>;
  /** Writes many small files, each completely or not at all. Files before a refused one are kept. */
  writeMany(
    workspaceId: string,
    files: AsyncIterable<FileRecord>,
    beforePublishing: () => Promise<void>,
  ): Promise<WrittenFiles>;
  /** Moves a file of the server that was received in another way to its place, completely or not at all. */
  publish(workspaceId: string, file: string, name: string): Promise<void>;
  /** Refuses a name that a write would currently be refused for. Returns the clean name. */
  checkPlace(workspaceId: string, name: string): Promise<string>;
  /** Syncs files that other programs wrote: with `fsync`, all of them are on the disk when this returns. */
  sync(workspaceId: string): Promise<void>;
  /** Lists a folder for a running run, like the next three methods (`ask-files.ts`). */
  listFolder(workspaceId: string, request: FolderRequest): Promise<FolderListing>;
  readBeginning(
    workspaceId: string,
    name: string,
    maxBytes: number,
  ): Promise<{ readonly text: string; readonly bytes: number }>;
  checksum(workspaceId: string, name: string): Promise<{ readonly bytes: number; readonly sha256: string }>;
  /** Opens a file, which must be read or closed. Refuses missing files and folders. */
  open(workspaceId: string, name: string): Promise<Pick<OpenFile, "stream">>;
  /** Reads the contents of small files, leaving out those that cannot be read. */
  readMany(workspaceId: string, names: readonly string[], maxBytes: number): AsyncIterable<FileRecord>;
  /** Stamps the files for a later comparison (`stamps.ts`); undefined if there are more than `maxEntries`. */
  maybeStamps(workspaceId: string, maxEntries: number): Promise<WorkspaceStamps | undefined>;
  /** Stamps declared inputs with their checksums. */
  maybeInputStamps(
    workspaceId: string,
    paths: readonly string[],
    maxEntries: number,
  ): Promise<readonly InputStamp[] | undefined>;
  /** Copies all files into another workspace, which is not in use yet (`copy-tree.ts`). */
  copy(from: string, to: string, request: CopyRequest): Promise<TreeCopy>;
  /** Records the outputs of a run that ends (`results/collect-results.ts`). */
  collectResults(workspaceId: string, request: ResultsRequest, signal: AbortSignal): Promise<Results>;
  list(
    workspaceId: string,
    request: ListRequest,
  ): Promise<{ readonly files: FileEntry[]; readonly total: number }>;
  /** Returns the disk usage, as `du` counts; undefined if there are more than `maxEntries` entries. */
  maybeUsedBytes(workspaceId: string, maxEntries: number): Promise<number | undefined>;
  /**
   * Returns the disk usage of several workspaces, in their order; undefined if they have more entries together. Uses
   * kept sizes.
   */
  maybeUsedBytesOfEach(wanted: readonly SizeWanted[], maxEntries: number): Promise<number[] | undefined>;
  /** Deletes the entries that a path or a pattern means, folders with their contents. */
  deleteFiles(workspaceId: string, wanted: string): Promise<Deleted>;
  /**
   * Deletes the selected files and the folders that become empty, until `mayGoOn` throws. Returns the number of files.
   */
  prune(
    workspaceId: string,
    isMeant: (path: string) => boolean,
    mayGoOn?: () => Promise<void>,
  ): Promise<number>;
  /** Moves entries as `mv` does; several sources only into a folder. */
  moveFiles(workspaceId: string, source: string, target: string): Promise<void>;
  /** Returns the disk usage of each file and folder, as `du` counts. */
  diskUsage(workspaceId: string, request: UsageRequest): Promise<Usage[]>;
  /** Opens one file, which must be read or closed, or an archive of a folder or of the matches of a glob. */
  find(workspaceId: string, pattern: string): Promise<Found>;
  /** Compares the files of two workspaces, `a` and `b`. Ends early if the signal aborts. */
  compare(request: ComparisonRequest, signal: AbortSignal): Promise<WorkspaceComparison>;
  /** Deletes files that a previous server was still receiving when it died. */
  clearIncoming(): Promise<void>;
}

/** `beforePublishing` is called when the whole file has been copied, before it gets its name. */
export interface CopyInOptions extends Pick<WriteOptions, "beforePublishing"> {
  readonly clock: Clock;
  /** Called with the number of bytes copied since the last call. */
  readonly onBytes?: (count: number) => void;
}

export interface Written {
  readonly path: string;
  readonly bytes: number;
}

export type Found =
  | { readonly kind: "file"; readonly file: OpenFile }
  /** A stream that is requested must be read or destroyed. */
  | { readonly kind: "archive"; stream(): Readable };

interface WorkspacesOptions {
  readonly folder: string;
  /** A folder on the same file system. */
  readonly incomingFolder: string;
  readonly fsync: boolean;
  readonly random: Random;
  readonly clock: Clock;
}

export function openWorkspaces(options: WorkspacesOptions): Workspaces {
  const folder = (workspaceId: string) => path.join(options.folder, workspaceId);
  const compare = comparingFewAtOnce();
  const sizes = new KeptSizes(options.clock);
  const changing =
    <Rest extends readonly unknown[], Result>(
      change: (workspaceId: string, ...rest: Rest) => Promise<Result>,
    ) =>
    (workspaceId: string, ...rest: Rest) =>
      sizes.changing(workspaceId, () => change(workspaceId, ...rest));
  const withFolder = (workspaceId: string) => ({ ...options, folder: folder(workspaceId) });
  return {
    root: options.folder,
    folder,
    create: changing((workspaceId) => makeWorkspace(withFolder(workspaceId))),
    remove: changing((workspaceId) => removeWorkspace(options, workspaceId)),
    write: changing((workspaceId, name, content, how) =>
      writeFile({ ...withFolder(workspaceId), makesFolder: true, ...how }, name, content),
    ),
    copyIn: changing((workspaceId, name, file, how) =>
      copyFileIn({ ...withFolder(workspaceId), makesFolder: true, ...how }, name, file),
    ),
    writeForRun: changing((workspaceId, name, content) =>
      writeFile({ ...withFolder(workspaceId), makesFolder: false }, name, content),
    ),
    writeMany: changing((workspaceId, files, beforePublishing) =>
      writeMany({ ...withFolder(workspaceId), beforePublishing }, files),
    ),
    publish: changing((workspaceId, file, name) => publishFile(withFolder(workspaceId), file, name)),
    checkPlace: (workspaceId, name) => checkPlace(folder(workspaceId), name),
    sync: (workspaceId) => syncWorkspace(options, workspaceId),
    listFolder: (workspaceId, request) => listFolder(folder(workspaceId), request),
    readBeginning: (workspaceId, name, maxBytes) => readBeginning(folder(workspaceId), name, maxBytes),
    checksum: (workspaceId, name) => checksumFile(folder(workspaceId), name),
    open: (workspaceId, name) => openFileOrRefuse(folder(workspaceId), name),
    readMany: (workspaceId, names, maxBytes) => readMany(folder(workspaceId), names, maxBytes),
    maybeStamps: (workspaceId, maxEntries) => maybeStamps(folder(workspaceId), maxEntries),
    maybeInputStamps: (workspaceId, paths, maxEntries) =>
      maybeInputStamps(folder(workspaceId), paths, maxEntries),
    async copy(from, to, request) {
      await makeWorkspace(withFolder(to));
      return copyTree(folder(from), folder(to), request);
    },
    collectResults: (workspaceId, request, signal) => collectResults(folder(workspaceId), request, signal),
    list: (workspaceId, request) => listFiles(folder(workspaceId), request),
    maybeUsedBytes: async (workspaceId, maxEntries) =>
      (await maybeSize(folder(workspaceId), maxEntries))?.bytes,
    maybeUsedBytesOfEach: (wanted, maxEntries) => sizesOf(wanted, maxEntries, sizes, folder),
    deleteFiles: changing((workspaceId, wanted) => deleteFiles(withFolder(workspaceId), wanted)),
    prune: changing((workspaceId, isMeant, mayGoOn = async () => undefined) =>
      prune(withFolder(workspaceId), isMeant, mayGoOn),
    ),
    moveFiles: changing((workspaceId, source, target) => moveFiles(withFolder(workspaceId), source, target)),
    diskUsage: (workspaceId, request) => diskUsage(folder(workspaceId), request),
    find: (workspaceId, pattern) => find(folder(workspaceId), pattern),
    compare: ({ a, b, contextLines }, signal) =>
      compare({ a: folder(a), b: folder(b), contextLines }, signal),
    clearIncoming: () => clearIncoming(options.incomingFolder),
  };
}

async function sizesOf(
  wanted: readonly SizeWanted[],
  maxEntries: number,
  kept: KeptSizes,
  folder: (workspaceId: string) => string,
): Promise<number[] | undefined> {
  const found: number[] = [];
  let left = maxEntries;
  for (const one of wanted) {
    const size = await kept.maybeOf(one, left, (most) => sizeIfThere(folder(one.id), most));
    if (!size) return undefined;
    left -= size.entries;
    found.push(size.bytes);
  }
  return found;
}

/** Returns the size; 0 for a workspace whose folder a job has replaced with something else. */
async function sizeIfThere(folder: string, maxEntries: number): Promise<CountedSize | undefined> {
  try {
    return await maybeSize(folder, maxEntries);
  } catch (error) {
    if (error instanceof Refusal && error.kind === "absent") return { bytes: 0, entries: 0 };
    throw error;
  }
}

/**
 * Moves the workspace first, so that no reader sees it half deleted: a name that starts with a dot is never a
 * workspace.
 */
async function removeWorkspace(
  { folder, fsync, random }: WorkspacesOptions,
  workspaceId: string,
): Promise<void> {
  const removed = path.join(folder, `.removed-${workspaceId}`);
  await moveInto(path.join(folder, workspaceId), removed, random.uuid());
  crashPoint("workspace-hidden");
  await removeTree(removed, random);
  // Before the deletion is recorded.
  if (fsync) await syncFolder(folder);
}

async function syncWorkspace({ folder, fsync }: WorkspacesOptions, workspaceId: string): Promise<void> {
  if (!fsync) return;
  await syncTree(path.join(folder, workspaceId));
  await syncFolder(folder);
}

/**
 * Moves the folder into `target`. Another removal of the same workspace may delete the target at that moment: then try
 * again.
 */
async function moveInto(from: string, target: string, name: string): Promise<void> {
  while (await maybeLstat(from)) {
    await mkdir(target, { recursive: true, mode: 0o700 });
    if (await moveFolder(from, path.join(target, name))) return;
  }
}

async function find(folder: string, wanted: string): Promise<Found> {
  const opened = await maybeOpen(folder, wanted);
  if (opened?.kind === "file") return opened;
  if (!opened && !hasMagic(wanted)) throw absent(wanted);
  const selection = opened ? filesBelow(opened.path) : matchedFiles(wanted);
  const { count, first } = await survey(folder, selection);
  if (first === undefined) throw absent(wanted);
  if (!opened && count === 1) {
    const only = await maybeOpen(folder, first);
    if (only?.kind === "file") return only;
  }
  return { kind: "archive", stream: () => zipStream(folder, selection) };
}

function absent(name: string): Refusal {
  return new Refusal("absent", `${name} does not exist.`);
}
