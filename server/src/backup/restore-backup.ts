import { mkdir, readdir, rename, rm, rmdir } from "node:fs/promises";
import path from "node:path";
import { asBackupError, BackupError } from "#backup/backup-error";
import { checkRows } from "#backup/check-backup";
import { linesOf } from "#plumbing/files/lines";
import { backupPaths, type Manifest, readManifest } from "#backup/manifest";
import { restoreFiles } from "#backup/restore-files";
import type { Clock } from "#plumbing/clock";
import { crashPoint } from "#plumbing/crash-points";
import { dataFolderPaths, refuseHalfRestored } from "#plumbing/files/data-folder";
import type { Random } from "#plumbing/ids";
import { writeSecretFile } from "#plumbing/secrets/secret-file";
import { syncFolder } from "#plumbing/files/sync-folder";
import type { Row, Table } from "#store/database/all-rows";
import { fillDatabase } from "#store/restore/fill-database";
import type { Connection } from "#store/database/database";
import { holdFolderLock } from "#store/dialects/folder-lock";

export interface RestoreOptions {
  readonly source: string;
  readonly dataFolder: string;
  readonly version: string;
  readonly clock: Clock;
  readonly random: Random;
  /** Opens an empty database. `file` is the temporary path for SQLite. */
  openDatabase(file: string): Promise<Connection>;
}

const TRIED = "The backup was not restored";
/**
 * Names that an empty folder may contain: the lock of this command, entries that file systems create in their
 * top folder, and the cache of this command, if the folder is also the home of the service's user.
 */
const NOTHING = new Set(["lock.sqlite", "lock.sqlite-journal", "lost+found", ".cache"]);

/**
 * Restores a backup as a new server: a different host from the original, which may keep running. Everything
 * is prepared in a folder inside the data folder, which may be a separate disk, and moved to its place at the
 * end. No server starts there during the preparation.
 */
export async function restoreBackup(options: RestoreOptions): Promise<Manifest> {
  const source = path.resolve(options.source);
  const manifest = await readManifest(source, options.version);
  await mkdir(options.dataFolder, { recursive: true, mode: 0o700 });
  const data = dataFolderPaths(options.dataFolder);
  const lock = holdFolderLock(data.lock);
  try {
    // The lock is held: no other process uses the files.
    await refuseHalfRestored(data);
    await refuseFull(data.folder);
    await mkdir(data.restoring, { mode: 0o700 });
    crashPoint("restore-begun");
    await fill(source, manifest, options).catch(async (error: unknown) => {
      await rm(data.restoring, { recursive: true, force: true });
      throw asBackupError(TRIED, data.folder, error);
    });
    await moveUp(data.restoring, data.folder);
    return manifest;
  } finally {
    lock.release();
  }
}

async function refuseFull(folder: string): Promise<void> {
  const [first] = (await readdir(folder)).filter((name) => !NOTHING.has(name));
  if (first === undefined) return;
  throw new BackupError(
    `${TRIED}: the data folder ${folder} is not empty (it holds ${first}). Name another one with --data.`,
  );
}

async function fill(source: string, manifest: Manifest, options: RestoreOptions): Promise<void> {
  const { clock, random } = options;
  const inside = dataFolderPaths(dataFolderPaths(options.dataFolder).restoring);
  for (const folder of [inside.workspaces, inside.incoming, inside.uploads, inside.jobs]) {
    await mkdir(folder, { mode: 0o700 });
  }
  await checkRows(source, manifest);
  await restoreFiles(source, manifest, inside.folder);
  crashPoint("restore-files-laid-out");
  await writeSecretFile(inside.hostId, `${random.uuid()}\n`);
  const db = await options.openDatabase(inside.database);
  try {
    const { migrations, deleted_meanwhile: deletedMeanwhile } = manifest;
    const rows = (table: Table) => rowsIn(source, manifest, table);
    await fillDatabase(db, { migrations, deletedMeanwhile, rows }, clock.now());
  } finally {
    await db.destroy();
  }
  crashPoint("restore-database-filled");
}

const PAGE_ROWS = 200;
const PAGE_CHARACTERS = 1 << 20;

async function* rowsIn(source: string, manifest: Manifest, table: Table): AsyncGenerator<readonly Row[]> {
  if (!manifest.tables[table]) return;
  let [page, characters] = [[] as Row[], 0];
  for await (const line of linesOf(backupPaths(source).rows(table))) {
    page.push(JSON.parse(line) as Row);
    characters += line.length;
    if (page.length < PAGE_ROWS && characters < PAGE_CHARACTERS) continue;
    yield page;
    [page, characters] = [[], 0];
  }
  if (page.length > 0) yield page;
}

async function moveUp(from: string, to: string): Promise<void> {
  for (const name of await readdir(from)) {
    await rename(path.join(from, name), path.join(to, name));
    crashPoint("restore-moved");
  }
  await syncFolder(to);
  await rmdir(from);
  await syncFolder(to);
  crashPoint("restore-published");
}
