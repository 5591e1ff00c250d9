import { lstatSync, renameSync, type Stats } from "node:fs";
import path from "node:path";
import { crashPoint } from "#plumbing/crash-points";
import { codeOf } from "#plumbing/errors";
import { syncFolder } from "#plumbing/files/sync-folder";
import {
  closing,
  type Folder,
  InTheWay,
  makeFolder,
  maybeOpenRoot,
  type SystemPath,
  walkToParent,
} from "#workspace/safe-path";
import type { StagedTree } from "#workspace/staging/plan-staging";
import { placeIsTaken, refusalFor } from "#workspace/staging/refusals";

/** Refuses trees whose places are taken, or behind a link, before anything is prepared. */
export async function checkPlaces(workspaceFolder: string, trees: readonly StagedTree[]): Promise<void> {
  for (const { at } of trees) {
    try {
      const { parent, name } = await walkToParent(await rootOf(workspaceFolder), at);
      if (await closing(parent, async () => maybeLook(parent.at(name)))) throw placeIsTaken(at);
    } catch (error) {
      if (!(error instanceof InTheWay)) throw error;
      if (error.kind !== "absent") throw refusalFor(at, error);
    }
  }
}

export interface Placing {
  readonly workspaceFolder: string;
  /** Holds the trees: the first as `0`, the next as `1` … */
  readonly prepared: string;
  readonly fsync: boolean;
}

/**
 * Moves the prepared trees to their places, one rename each. A missing tree was placed earlier. If a place is
 * taken, all trees are moved back, and only the parent folders stay in the workspace.
 */
export async function putInPlace(placing: Placing, trees: readonly StagedTree[]): Promise<void> {
  for (const [index, { at }] of trees.entries()) {
    const from = path.join(placing.prepared, String(index));
    if (!maybeLook(from)) continue;
    try {
      await inParent(placing.workspaceFolder, at, (parent, name) =>
        placeTree(placing, from, { parent, name, at }),
      );
    } catch (error) {
      await takeBack(placing, trees);
      throw refusalFor(at, error);
    }
    crashPoint("stage-tree-placed");
  }
}

interface StagedPlace {
  readonly parent: Folder;
  readonly name: string;
  readonly at: string;
}

/**
 * A job that creates an entry at this place between the check and the rename may lose the entry, but jobs use
 * places of their own.
 */
async function placeTree({ fsync }: Placing, from: string, { parent, name, at }: StagedPlace): Promise<void> {
  const there = maybeLook(parent.at(name));
  // Another server may have placed this tree already.
  if (there && maybeLook(from)) throw placeIsTaken(at);
  if (!there) renameUnlessGone(from, parent.at(name));
  if (fsync) await syncFolder(parent.itself);
}

/** Takes back the trees in the opposite order. After a crash in between, the next server places them again, or fails. */
async function takeBack({ workspaceFolder, prepared }: Placing, trees: readonly StagedTree[]): Promise<void> {
  for (const [index, { at }] of [...trees.entries()].toReversed()) {
    const to = path.join(prepared, String(index));
    if (maybeLook(to)) continue;
    await inParent(workspaceFolder, at, async (parent, name) => renameUnlessGone(parent.at(name), to));
  }
}

export function renameUnlessGone(from: SystemPath, to: SystemPath): void {
  try {
    renameSync(from, to);
  } catch (error) {
    if (codeOf(error) !== "ENOENT") throw error;
  }
}

async function inParent(
  workspaceFolder: string,
  at: string,
  work: (parent: Folder, name: string) => Promise<void>,
): Promise<void> {
  const { parent, name } = await walkToParent(await rootOf(workspaceFolder), at, makeFolder);
  await closing(parent, () => work(parent, name));
}

/** Returns undefined if the path does not exist. */
function maybeLook(at: SystemPath): Stats | undefined {
  return lstatSync(at, { throwIfNoEntry: false });
}

async function rootOf(workspaceFolder: string): Promise<Folder> {
  const root = await maybeOpenRoot(workspaceFolder);
  if (!root) throw new InTheWay("absent", "of the workspace");
  return root;
}
