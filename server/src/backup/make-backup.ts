import { rename, rm } from "node:fs/promises";
import path from "node:path";
import { checkBackup } from "#backup/check-backup";
import { writeChecked } from "#backup/checked-file";
import { copyRows } from "#backup/copy-rows";
import { type FileCopier, openFileCopier } from "#backup/file-copier";
import { linesOf } from "#plumbing/files/lines";
import { backupPaths, type Manifest, newManifest } from "#backup/manifest";
import { KeyChangedError, keyInUse } from "#backup/key-in-use";
import { asTargetError, makePart } from "#backup/target";
import type { Clock } from "#plumbing/clock";
import { crashPoint } from "#plumbing/crash-points";
import type { DataFolder } from "#plumbing/files/data-folder";
import { isWithin } from "#plumbing/files/is-within";
import { syncFolder } from "#plumbing/files/sync-folder";
import { deletedRuns } from "#store/database/all-rows";
import type { Connection } from "#store/database/database";
import { type JobPlace, jobPlacesOfRun } from "#store/jobs/jobs";
import { stagingFolderOf } from "#workspace/staging/stage-files";

export interface BackupOptions {
  readonly db: Connection;
  readonly database: Manifest["database"];
  readonly data: DataFolder;
  readonly target: string;
  readonly version: string;
  readonly clock: Clock;
  /**
   * Returns the files of a job, from the backend in the job's row. Undefined if the backend cannot provide
   * files.
   */
  readonly exportJob: (
    job: JobPlace,
    how: { readonly endCounts: boolean },
  ) => Promise<readonly JobFile[] | undefined>;
  /** Called after each step. */
  readonly onStep?: (step: BackupStep) => Promise<void>;
}

/** A file by its path below the folder of jobs: its content, or the file of the data folder to copy. */
export type JobFile = { readonly path: string } & (
  | { readonly content: string }
  | { readonly copyOf: string }
);

export type BackupStep = "rows" | "jobs" | "workspaces";

/**
 * Backs up database and files, even while a server uses them and jobs run. Each later part completes the
 * earlier parts: first the rows of one snapshot; second the records of jobs (an ended job has printed all of
 * its output); last the workspaces (which hold all files of such a job). A job that may have been running
 * while its workspace was copied is lost in the copy, as after a reboot, and does not run a second time.
 */
export async function makeBackup(options: BackupOptions): Promise<Manifest> {
  const target = path.resolve(options.target);
  const part = await makePart(target, options.data.folder);
  try {
    const manifest = await fill(part, options);
    await checkBackup(part, manifest);
    // The manifest comes last: a backup with a manifest is complete and was read back.
    await writeChecked(backupPaths(part).manifest, [`${JSON.stringify(manifest, null, 2)}\n`]);
    await syncFolder(part);
    crashPoint("backup-whole");
    await rename(part, target);
    await syncFolder(path.dirname(target));
    crashPoint("backup-published");
    return manifest;
  } catch (error) {
    await rm(part, { recursive: true, force: true });
    throw asTargetError(target, error);
  }
}

async function fill(part: string, options: BackupOptions): Promise<Manifest> {
  const { version, database, db, data } = options;
  const createdAt = new Date(options.clock.now()).toISOString();
  const key = await keyInUse(data);
  const { kept, live, workspaces, ...rows } = await copyRows(db, part);
  crashPoint("backup-rows-copied");
  await options.onStep?.("rows");
  const copier = await openFileCopier(part);
  try {
    await copyFiles(part, options, { key, kept, live, workspaces, copier });
    const manifest = newManifest({
      version,
      created_at: createdAt,
      database,
      ...rows,
      deleted_meanwhile: (await deletedRuns(db)).filter((id) => kept.has(id)),
      left_out: copier.leftOut,
      files: { count: copier.count, ...(await copier.close()) },
    });
    crashPoint("backup-files-copied");
    return manifest;
  } catch (error) {
    await copier.abandon().catch(() => undefined);
    throw error;
  }
}

interface Copied {
  /** The key that was in use before the rows were read. */
  readonly key: string | undefined;
  readonly kept: ReadonlySet<string>;
  readonly live: readonly string[];
  readonly workspaces: Iterable<string>;
  readonly copier: FileCopier;
}

async function copyFiles(
  part: string,
  options: BackupOptions,
  { key, kept, live, workspaces, copier }: Copied,
): Promise<void> {
  const { db, data, onStep } = options;
  const copyJob = jobCopies(copier, options);
  const copyOwn = (file: string) => copier.copyFile(path.basename(file), file);
  await copyOwn(data.secretKey);
  if ((await keyInUse(data)) !== key) throw new KeyChangedError();
  await copyOwn(data.adminToken);
  await copyOwn(data.privateImages);
  await copier.copyTree(path.basename(data.uploads), data.uploads);
  for await (const line of linesOf(backupPaths(part).rows("jobs"))) {
    const job = JSON.parse(line) as CopiedJob;
    if (!kept.has(job.run_id)) continue;
    await copyJob(job, { endCounts: true });
    // The log shown for this job may come from a deleted run.
    if (job.taken_from) await copyJob({ ...job, id: job.taken_from }, { endCounts: true });
  }
  await onStep?.("jobs");
  for (const id of workspaces) {
    // The markers that a job's files are in place are copied with the files.
    for (const folder of [path.join(data.workspaces, id), stagingFolderOf(data.workspaces, id)])
      await copier.copyTree(`${path.basename(data.workspaces)}/${path.basename(folder)}`, folder);
  }
  await onStep?.("workspaces");
  // Jobs that started since the first look may have written into the files just copied.
  for (const run of live) {
    for await (const places of jobPlacesOfRun(db, run)) {
      for (const job of places) await copyJob(job, { endCounts: false });
    }
  }
}

interface CopiedJob extends JobPlace {
  readonly run_id: string;
  readonly taken_from: string | null;
}

/** Copies each job once: the first copy counts. */
function jobCopies(copier: FileCopier, { data, exportJob }: BackupOptions) {
  const copied = new Set<string>();
  return async (job: JobPlace, how: { readonly endCounts: boolean }): Promise<void> => {
    if (copied.has(job.id)) return;
    const files = await exportJob(job, how);
    if (!files) copier.leaveOut(`${path.basename(data.jobs)}/${job.id}`);
    if (files?.length === 0) return;
    copied.add(job.id);
    for (const file of files ?? []) {
      if ("content" in file) await copier.writeFile(`${path.basename(data.jobs)}/${file.path}`, file.content);
      else await copier.copyFile(placeOf(data, file.copyOf), file.copyOf);
    }
  };
}

/** Returns the place of a file about a job in the backup: as in a data folder that is not shared. */
function placeOf({ folder, shared, jobs }: DataFolder, file: string): string {
  return path.relative(isWithin(file, jobs) ? folder : shared, file);
}
