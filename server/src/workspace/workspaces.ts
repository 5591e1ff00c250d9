import { mkdir } from "node:fs/promises";
import path from "node:path";
import type { Readable } from "node:stream";
import type { Clock } from "#plumbing/clock";
import { crashPoint } from "#plumbing/crash-points";
import { Refusal } from "#plumbing/errors";
import type { Random } from "#plumbing/ids";
import { syncFolder } from "#plumbing/sync-folder";
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
import { hasMagic } from "#plumbing/glob";
import { type FileEntry, listFiles, type ListRequest } from "#workspace/list-files";
import { moveFiles } from "#workspace/move-files";
import { maybeOpen, type OpenFile } from "#workspace/open-file";
import { prune } from "#workspace/prune";
import { readMany } from "#workspace/read-many";
import { moveFolder, removeTree } from "#workspace/remove-tree";
import { maybeLstat } from "#workspace/safe-path";
import { collectResults, type ResultsRequest } from "#workspace/results/collect-results";
import type { Results } from "#workflow/results";
import { filesBelow, matchedFiles } from "#workspace/selection";
import { syncTree } from "#workspace/sync-tree";
import { type FilesTrace, type InputTrace, maybeTrace, maybeTraceInputs } from "#workspace/trace";
import type { FileRecord } from "#plumbing/file-records";
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

/** The files of all runs: a folder each, made when the first file comes or the run begins. */
export interface Workspaces {
  /** Where the folders of all runs lie. */
  readonly root: string;
  /** The absolute folder of a run's files, whether it is there yet or not. */
  folder(workspaceId: string): string;
  /** Safe twice. */
  create(workspaceId: string): Promise<void>;
  /** At once out of sight, then deleted; also what an earlier removal left. Safe twice. */
  remove(workspaceId: string): Promise<void>;
  /** Whole or absent; an existing file is replaced. */
  write(
    workspaceId: string,
    name: string,
    content: AsyncIterable<Uint8Array>,
    options?: Pick<WriteOptions, "isExecutable" | "beforePublishing">,
  ): Promise<Written>;
  /** The same with a file of this machine, and its execute bit. */
  copyIn(workspaceId: string, name: string, file: string, options: CopyInOptions): Promise<Written>;
  /**
   * What a run writes: its workspace must be there, else it is refused. A server that was asleep must not bring back the
   * files of a run that was deleted meanwhile.
   */
  writeForRun(workspaceId: string, name: string, content: AsyncIterable<Uint8Array>): Promise<Written>;
  /** Many small files, each of them so. Those before one that is refused are kept. */
  writeMany(
    workspaceId: string,
    files: AsyncIterable<FileRecord>,
    beforePublishing: () => Promise<void>,
  ): Promise<WrittenFiles>;
  /** Puts a file of ours that has come in another way into its place there: whole or absent. */
  publish(workspaceId: string, file: string, name: string): Promise<void>;
  /** Refuses what a file of that name would be refused for as things are; answers the name as it will be. */
  checkPlace(workspaceId: string, name: string): Promise<string>;
  /** For what others wrote into it: with `fsync`, all of it is on the disk when this answers. */
  sync(workspaceId: string): Promise<void>;
  /** What a run asks of its own files while it goes on: this and the next three (`ask-files.ts`). */
  listFolder(workspaceId: string, request: FolderRequest): Promise<FolderListing>;
  readBeginning(
    workspaceId: string,
    name: string,
    maxBytes: number,
  ): Promise<{ readonly text: string; readonly bytes: number }>;
  checksum(workspaceId: string, name: string): Promise<{ readonly bytes: number; readonly sha256: string }>;
  /** To be read or closed; refuses what is not there, and folders. */
  open(workspaceId: string, name: string): Promise<Pick<OpenFile, "stream">>;
  /** The contents of small files, those that can be had. */
  readMany(workspaceId: string, names: readonly string[], maxBytes: number): AsyncIterable<FileRecord>;
  /** What lies there, to be compared with later (`trace.ts`); nothing when it is more than that. */
  maybeTrace(workspaceId: string, maxEntries: number): Promise<FilesTrace | undefined>;
  /** The same of declared inputs, with what they hold. */
  maybeTraceInputs(
    workspaceId: string,
    paths: readonly string[],
    maxEntries: number,
  ): Promise<readonly InputTrace[] | undefined>;
  /** Copies all files into another workspace, which nobody uses yet (`copy-tree.ts`). */
  copy(from: string, to: string, request: CopyRequest): Promise<TreeCopy>;
  /** The outputs of a run that ends (`results/collect-results.ts`). */
  collectResults(workspaceId: string, request: ResultsRequest, signal: AbortSignal): Promise<Results>;
  list(
    workspaceId: string,
    request: ListRequest,
  ): Promise<{ readonly files: FileEntry[]; readonly total: number }>;
  /** What it takes on the disk, as `du` counts; nothing when there are more entries than that. */
  maybeUsedBytes(workspaceId: string, maxEntries: number): Promise<number | undefined>;
  /** The same of each of several, in their order; nothing when they have more entries together. Kept sizes are used. */
  maybeUsedBytesOfEach(wanted: readonly SizeWanted[], maxEntries: number): Promise<number[] | undefined>;
  /** What a path or a pattern means, folders with all that is in them. */
  deleteFiles(workspaceId: string, wanted: string): Promise<Deleted>;
  /** The files that are meant, and folders that are empty then, until `mayGoOn` throws. Answers how many. */
  prune(
    workspaceId: string,
    isMeant: (path: string) => boolean,
    mayGoOn?: () => Promise<void>,
  ): Promise<number>;
  /** As `mv` does; several sources only into a folder. */
  moveFiles(workspaceId: string, source: string, target: string): Promise<void>;
  /** As `du` counts. */
  diskUsage(workspaceId: string, request: UsageRequest): Promise<Usage[]>;
  /** One file, to be read or closed, or an archive of what a folder holds or a glob matches. */
  find(workspaceId: string, pattern: string): Promise<Found>;
  /** What two of them have in common and what not; `a` and `b` are workspaces. Broken off when the signal says so. */
  compare(request: ComparisonRequest, signal: AbortSignal): Promise<WorkspaceComparison>;
  /** Forgets what a server that died was still receiving. */
  clearIncoming(): Promise<void>;
}

/** `beforePublishing` is called when all of the file is there, and before it has its name. */
export interface CopyInOptions extends Pick<WriteOptions, "beforePublishing"> {
  readonly clock: Clock;
  /** Told how many bytes more have been copied. */
  readonly onBytes?: (count: number) => void;
}

export interface Written {
  readonly path: string;
  readonly bytes: number;
}

export type Found =
  | { readonly kind: "file"; readonly file: OpenFile }
  /** A stream that is asked for must be read or destroyed. */
  | { readonly kind: "archive"; stream(): Readable };

interface WorkspacesOptions {
  readonly folder: string;
  /** On the same file system. */
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
    maybeTrace: (workspaceId, maxEntries) => maybeTrace(folder(workspaceId), maxEntries),
    maybeTraceInputs: (workspaceId, paths, maxEntries) =>
      maybeTraceInputs(folder(workspaceId), paths, maxEntries),
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

/** Of a workspace whose folder a job has replaced by something else, nothing can be counted. */
async function sizeIfThere(folder: string, maxEntries: number): Promise<CountedSize | undefined> {
  try {
    return await maybeSize(folder, maxEntries);
  } catch (error) {
    if (error instanceof Refusal && error.kind === "absent") return { bytes: 0, entries: 0 };
    throw error;
  }
}

/** Moved first, so that nobody sees a part: a name that begins with a dot is no workspace's. */
async function removeWorkspace(
  { folder, fsync, random }: WorkspacesOptions,
  workspaceId: string,
): Promise<void> {
  const removed = path.join(folder, `.removed-${workspaceId}`);
  await moveInto(path.join(folder, workspaceId), removed, random.uuid());
  crashPoint("workspace-hidden");
  await removeTree(removed, random);
  // Before anybody writes down that it is gone.
  if (fsync) await syncFolder(folder);
}

async function syncWorkspace({ folder, fsync }: WorkspacesOptions, workspaceId: string): Promise<void> {
  if (!fsync) return;
  await syncTree(path.join(folder, workspaceId));
  await syncFolder(folder);
}

/** Another removal of the same workspace may delete the target under our hands: then once more. */
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
