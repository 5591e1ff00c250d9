import type { ReadableRoot } from "#workspace/find/readable-place";
import { lstatSync, mkdirSync, renameSync, rmdirSync } from "node:fs";
import { readdir, rm, rmdir } from "node:fs/promises";
import path from "node:path";
import { setImmediate } from "node:timers/promises";
import { crashPoint } from "#plumbing/crash-points";
import { codeOf } from "#plumbing/errors";
import type { Random } from "#plumbing/ids";
import { syncFolder } from "#plumbing/files/sync-folder";
import type { StageEntry } from "#workflow/job/stage";
import { planStaging, type StagedTree } from "#workspace/staging/plan-staging";
import { prepareTrees } from "#workspace/staging/prepare-tree";
import { checkPlaces, putInPlace, renameUnlessGone } from "#workspace/staging/put-in-place";
import { syncWorkspace } from "#workspace/write/sync-workspace";

export interface StageRequest {
  readonly jobId: string;
  readonly entries: readonly StageEntry[];
  /** Throws if another server drives the run. Called before anything reaches the workspace. */
  readonly assertLease: () => Promise<void>;
  /** Cancels the staging, and removes all files that are not in place yet. */
  readonly signal: AbortSignal;
}

export interface StagingPlaces {
  readonly workspaceFolder: string;
  readonly readableRoots: readonly ReadableRoot[];
  /** Staging folder of the workspace, on the same file system. */
  readonly stagingFolder: string;
  readonly fsync: boolean;
  readonly random: Random;
}

/** Returns the staging folder of a workspace. It is a sibling of the workspace, on the same file system. */
export function stagingFolderOf(workspaces: string, workspaceId: string): string {
  return path.join(workspaces, `${PREFIX}${workspaceId}`);
}

/** A name that starts with a dot is never a workspace. */
const PREFIX = ".staging-";

/** Returns the ids of the workspaces with a staging folder. */
export async function stagedWorkspaces(workspaces: string): Promise<readonly string[]> {
  const names = await namesIn(workspaces);
  return names.filter((name) => name.startsWith(PREFIX)).map((name) => name.slice(PREFIX.length));
}

/** Returns the jobs for which something is kept in the folder of a workspace's staging. */
export function stagedJobs(stagingFolder: string): Promise<readonly string[]> {
  return namesIn(stagingFolder);
}

async function namesIn(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (codeOf(error) !== "ENOENT") throw error;
    return [];
  }
}

/**
 * Puts the files of a job into its workspace, all of them or none, and only once per job.
 *
 *     STAGING/JOB/part-…   being prepared by one server; nothing else reads it
 *     STAGING/JOB/ready    prepared, by one rename; `trees/0`, `trees/1` … leave it for their places
 *
 * `ready` stays until the job's end is recorded, and proves that the job's files were staged: a tree missing
 * from `ready` has been placed, so a later server never stages the tree again. A server that has lost the run
 * cannot make a second `ready`, because `ready` is never empty.
 *
 * The calls that make and move folders are synchronous. Few calls wait for a disk, because the folders are
 * fresh; in another thread, the twenty calls of a small job would cost more than the job's command.
 */
export async function stageFiles(places: StagingPlaces, request: StageRequest): Promise<void> {
  const { workspaceFolder, stagingFolder, fsync } = places;
  const jobFolder = path.join(stagingFolder, request.jobId);
  const ready = path.join(jobFolder, "ready");
  const trees = planStaging(request.entries);
  if (!lstatSync(ready, { throwIfNoEntry: false })) await makeReady(places, request, trees, jobFolder);
  try {
    await putInPlace({ workspaceFolder, prepared: path.join(ready, "trees"), fsync }, trees);
  } catch (error) {
    await discard(ready, jobFolder);
    throw error;
  }
  crashPoint("stage-placed");
}

async function makeReady(
  { workspaceFolder, readableRoots, stagingFolder, fsync, random }: StagingPlaces,
  request: StageRequest,
  trees: readonly StagedTree[],
  jobFolder: string,
): Promise<void> {
  if (trees.some(copies)) await checkPlaces(workspaceFolder, trees);
  const part = path.join(jobFolder, `part-${random.uuid()}`);
  const prepared = path.join(part, "trees");
  try {
    const made = mkdirSync(prepared, { recursive: true, mode: 0o700 });
    if (made === part) await removeOtherParts(jobFolder, part);
    await prepareTrees(prepared, trees, { workspaceFolder, readableRoots, signal: request.signal });
    if (fsync) await syncWorkspace(part);
    crashPoint("stage-prepared");
    request.signal.throwIfAborted();
    await request.assertLease();
    await becomeReady(part, path.join(jobFolder, "ready"));
    if (fsync)
      for (const folder of [jobFolder, stagingFolder, path.dirname(stagingFolder)]) await syncFolder(folder);
  } catch (error) {
    await rm(part, { recursive: true, force: true });
    throw error;
  }
  crashPoint("stage-ready");
}

/**
 * Returns whether a tree takes long to prepare. Other trees need no early check, because `putInPlace` refuses
 * them.
 */
function copies({ entries }: StagedTree): boolean {
  return entries.some(({ entry }) => "copy" in entry);
}

/**
 * Removes the parts of earlier servers from an existing folder. Keeps `ready`, because a slow server may have
 * just made it.
 */
async function removeOtherParts(jobFolder: string, part: string): Promise<void> {
  const left = (await namesIn(jobFolder)).filter((one) => one !== "ready" && one !== path.basename(part));
  for (const name of left) await rm(path.join(jobFolder, name), { recursive: true, force: true });
}

/** Renames the part. If another server was faster, its trees are used. */
async function becomeReady(part: string, ready: string): Promise<void> {
  try {
    renameSync(part, ready);
  } catch (error) {
    if (codeOf(error) !== "ENOTEMPTY" && codeOf(error) !== "EEXIST") throw error;
    await rm(part, { recursive: true, force: true });
  }
}

/** Renames first: a half-removed folder must not be taken for trees that have been placed. */
async function discard(ready: string, jobFolder: string): Promise<void> {
  renameUnlessGone(ready, path.join(jobFolder, "discarded"));
  await rm(jobFolder, { recursive: true, force: true });
}

/** Number of jobs forgotten in one turn of the event loop. */
const FORGOTTEN_AT_ONCE = 50;

/** Forgets the staging of finished jobs. Their ends are recorded, so they are never staged again. */
export async function forgetStaged(stagingFolder: string, jobIds: readonly string[]): Promise<void> {
  for (const [index, jobId] of jobIds.entries()) {
    if (index > 0 && index % FORGOTTEN_AT_ONCE === 0) await setImmediate();
    await forget(path.join(stagingFolder, jobId));
    crashPoint("stage-forgotten");
  }
}

/** Forgets the given jobs, and removes the staging folder of the workspace unless other jobs use it. */
export async function endStaging(stagingFolder: string, jobIds: readonly string[]): Promise<void> {
  await forgetStaged(stagingFolder, jobIds);
  try {
    await rmdir(stagingFolder);
  } catch (error) {
    if (!["ENOENT", "ENOTEMPTY", "EEXIST"].includes(codeOf(error) ?? "")) throw error;
  }
}

/**
 * Removes the known folders of a staging, one call each. Listing the folder first costs five times as much.
 */
async function forget(jobFolder: string): Promise<void> {
  try {
    for (const folder of ["ready/trees", "ready", ""]) rmdirSync(path.join(jobFolder, folder));
  } catch {
    await rm(jobFolder, { recursive: true, force: true });
  }
}
