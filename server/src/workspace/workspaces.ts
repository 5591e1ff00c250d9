import path from "node:path";
import { Refusal } from "#plumbing/errors";
import { fewAtOnce } from "#plumbing/few-at-once";
import type { ComparisonRequest, WorkspaceComparison } from "#workspace/comparison/comparison";
import { comparingFewAtOnce } from "#workspace/comparison/compare-workspaces";
import type { PairsRequest, PairVerdict } from "#workspace/equivalence/file-pair";
import { judgePairs } from "#workspace/equivalence/judge-pairs";
import { type CopyRequest, copyTree, type TreeCopy } from "#workspace/write/copy-tree";
import { maybeSize } from "#workspace/usage/disk-usage";
import { createFileThreads } from "#workspace/threads/file-threads";
import { type CountedSize, KeptSizes, type SizeWanted } from "#workspace/usage/kept-sizes";
import { stagedWorkspaces } from "#workspace/staging/stage-files";
import { Workspace, type WorkspacesOptions } from "#workspace/workspace";
import { clearIncoming } from "#workspace/write/write-file";

/** Files of all runs: one folder each, made when the first file arrives or the run starts. */
export interface Workspaces {
  /** The folder that contains the folders of all runs. */
  readonly root: string;
  /** Returns the files of one workspace, even if the folder does not exist. Does no I/O. */
  of(workspaceId: string): Workspace;
  /** Copies all files into another workspace, which is not in use yet (`copy-tree.ts`). */
  copy(from: string, to: string, request: CopyRequest): Promise<TreeCopy>;
  /**
   * Returns the disk usage of several workspaces, in their order; undefined if they have more entries together. Uses
   * kept sizes.
   */
  maybeUsedBytesOfEach(wanted: readonly SizeWanted[], maxEntries: number): Promise<number[] | undefined>;
  /** Compares the files of two workspaces, `a` and `b`. Ends early if the signal aborts. */
  compare(request: ComparisonRequest, signal: AbortSignal): Promise<WorkspaceComparison>;
  /** Judges whether files of two workspaces, `a` and `b`, have the same content. Ends early if the signal aborts. */
  judge(request: JudgeRequest, signal: AbortSignal): Promise<PairVerdict[]>;
  /** Deletes incoming files left by a server that died while receiving. */
  clearIncoming(): Promise<void>;
  /**
   * Removes the staging of workspaces whose runs ended before the server died. `liveOf` returns the
   * workspaces with a live run.
   */
  clearStaging(liveOf: (ids: readonly string[]) => Promise<readonly string[]>): Promise<void>;
}

/** The interface for locating the folders of workspaces. */
export interface WorkspaceFolders {
  of(workspaceId: string): Pick<Workspace, "folder">;
}

/** The options of opening workspaces. Runs may read no other folder unless some are given. */
type OpenOptions = Omit<WorkspacesOptions, "threads" | "readableRoots"> &
  Partial<Pick<WorkspacesOptions, "readableRoots">>;

export function openWorkspaces(given: OpenOptions): Workspaces {
  const options = { readableRoots: [], ...given, threads: createFileThreads() };
  const sizes = new KeptSizes(options.clock, options);
  const of = (workspaceId: string) => new Workspace(options, sizes, workspaceId);
  const compare = comparingFewAtOnce();
  // Each takes a processor, and memory for two files.
  const inTurn = fewAtOnce(1);
  return {
    root: options.folder,
    of,
    async copy(from, to, request) {
      await of(to).create();
      return copyTree(of(from).folder, of(to).folder, request);
    },
    maybeUsedBytesOfEach: (wanted, maxEntries) => sizesOf(wanted, maxEntries, sizes, (id) => of(id).folder),
    compare: ({ a, b, contextLines }, signal) =>
      compare({ a: of(a).folder, b: of(b).folder, contextLines }, signal),
    judge: ({ a, b, ...request }, signal) =>
      inTurn(() => judgePairs({ a: folderOf(of, a), b: folderOf(of, b), ...request }, signal)),
    clearIncoming: () => clearIncoming(options.incomingFolder),
    async clearStaging(liveOf) {
      const staged = await stagedWorkspaces(options.folder);
      if (staged.length === 0) return;
      // Listed before asking for live runs, because a run may begin to stage files in a listed workspace.
      const jobs = await Promise.all(staged.map((id) => of(id).stagedJobs()));
      const live = new Set(await liveOf(staged));
      for (const [index, id] of staged.entries()) if (!live.has(id)) await of(id).endStaging(jobs[index]!);
    },
  };
}

/** A folder of a workspace, or the whole workspace. */
export interface WorkspacePart {
  readonly workspaceId: string;
  readonly below?: string;
}

interface JudgeRequest extends Omit<PairsRequest, "a" | "b"> {
  readonly a: WorkspacePart;
  readonly b: WorkspacePart;
}

function folderOf(of: (id: string) => Workspace, { workspaceId, below = "" }: WorkspacePart): string {
  return path.join(of(workspaceId).folder, below);
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
