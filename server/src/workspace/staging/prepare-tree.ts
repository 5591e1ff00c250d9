import type { ReadableRoot } from "#workspace/find/readable-place";
import { mkdirSync } from "node:fs";
import { mkdir, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { modeOf } from "#plumbing/files/file-mode";
import type { StageEntry } from "#workflow/job/stage";
import { copyEntry, copyTree } from "#workspace/write/copy-tree";
import { type Source, Sources } from "#workspace/staging/open-sources";
import { refusalFor } from "#workspace/staging/refusals";
import type { StagedTree } from "#workspace/staging/plan-staging";

export interface PrepareOptions {
  readonly workspaceFolder: string;
  /** Folders outside the workspaces that every run may read. */
  readonly readableRoots: readonly ReadableRoot[];
  readonly signal: AbortSignal;
}

/** Makes the trees of a job in a folder of the server: the first as `0`, the next as `1` … */
export async function prepareTrees(
  folder: string,
  trees: readonly StagedTree[],
  options: PrepareOptions,
): Promise<void> {
  const sources = new Sources(options.workspaceFolder, options.readableRoots);
  try {
    for (const [index, tree] of trees.entries())
      await prepareTree(path.join(folder, String(index)), tree, sources, options);
  } finally {
    await sources.close();
  }
}

async function prepareTree(
  top: string,
  { at, entries }: StagedTree,
  sources: Sources,
  { signal }: PrepareOptions,
): Promise<void> {
  for (const { below, entry } of entries) {
    signal.throwIfAborted();
    const place = below === "" ? at : `${at}/${below}`;
    const target = path.join(top, below);
    try {
      if (below.includes("/")) await mkdir(path.dirname(target), { recursive: true });
      await make(target, place, entry, sources, signal);
    } catch (error) {
      throw refusalFor(place, error);
    }
  }
}

async function make(
  target: string,
  place: string,
  entry: StageEntry,
  sources: Sources,
  signal: AbortSignal,
): Promise<void> {
  // In a folder of the server, and faster than a switch to another thread.
  if ("folder" in entry) return mkdirSync(target);
  if ("text" in entry)
    return writeFile(target, entry.text, { flag: "wx", mode: modeOf(entry.isExecutable === true) });
  if ("copy" in entry) return copy(await sources.find(entry.copy), target, signal);
  const { name } = await sources.find(entry.link);
  if (path.isAbsolute(name)) return symlink(name, target);
  return symlink(path.posix.relative(path.posix.dirname(place), name), target);
}

/** Copies a file or a folder. The job may change the copy, even if the original is read-only. */
async function copy({ name, kind, at }: Source, target: string, signal: AbortSignal): Promise<void> {
  const manner = { signal, makesWritable: true } as const;
  if (kind === "file") return void (await copyEntry({ name, kind, at }, target, manner));
  await mkdir(target);
  await copyTree(at.toString(), target, { ...manner, isLeftOut: () => false });
}
