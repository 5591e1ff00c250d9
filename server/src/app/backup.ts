import path from "node:path";
import { openReaders } from "#app/jobs/backends";
import { BackendAwayError } from "#backends/backend";
import { AbsentBackendError, backendsOf } from "#backends/backends";
import { type BackupOptions, makeBackup } from "#backup/make-backup";
import type { Manifest } from "#backup/manifest";
import { restoreBackup } from "#backup/restore-backup";
import type { Config } from "#config/settings";
import { refuseOtherHolder } from "#app/database-holder";
import { sharedIdOf } from "#app/shared-folder";
import { openEmptyDatabase, openRunningDatabase } from "#app/database";
import type { Connection } from "#store/database/database";
import { hostsOfJobs } from "#store/jobs/hosts-of-jobs";
import { systemClock } from "#plumbing/clock";
import {
  type DataFolder,
  DataFolderError,
  dataFolderPaths,
  refuseHalfRestored,
} from "#plumbing/files/data-folder";
import { systemRandom } from "#plumbing/ids";
import { maybeReadFile, writeSecretFile } from "#plumbing/secrets/secret-file";

/** `reprise backup` and `reprise restore`. */

/** Backs up the data folder and its database, also while a server is running. */
export async function backUp(config: Config, version: string, target: string): Promise<Manifest> {
  const data = dataFolderPaths(config.dataFolder, config.sharedFolder);
  await refuseHalfRestored(data);
  // The key is written after the database was created.
  if ((await maybeReadFile(data.secretKey)) === undefined) {
    throw new DataFolderError(
      `There is nothing to back up: no server has used the data folder ${data.folder} yet. ` +
        "Name another one with --data.",
    );
  }
  const db = await openRunningDatabase(config, data);
  try {
    const id = (await maybeReadFile(data.hostId))?.trim() ?? "";
    await refuseOtherHolder(config, db, { id, sharedId: await sharedIdOf(data) });
    const database = config.database === undefined ? "SQLite" : "PostgreSQL";
    const exportJob = data.isShared ? exporterOfHost(db, id, jobExporter(data)) : jobExporter(data);
    const manifest = await makeBackup({ db, database, data, target, version, clock: systemClock, exportJob });
    const record = { at: manifest.created_at, folder: path.resolve(target) };
    await writeSecretFile(data.lastBackup, `${JSON.stringify(record)}\n`);
    return manifest;
  } finally {
    await db.destroy();
  }
}

/** Exports each job from the backend of its row, unless the backend is away or not part of this product. */
export function jobExporter(data: DataFolder): BackupOptions["exportJob"] {
  const backends = backendsOf(openReaders(data));
  return async (job, how) => {
    try {
      return await backends.named(job.backend).export(job.id, how);
    } catch (error) {
      if (error instanceof AbsentBackendError || error instanceof BackendAwayError) return undefined;
      throw error;
    }
  };
}

/** Leaves out the jobs whose logs only another host has. */
function exporterOfHost(
  db: Connection,
  hostId: string,
  exportHere: BackupOptions["exportJob"],
): BackupOptions["exportJob"] {
  return async (job, how) => {
    const [place] = await hostsOfJobs(db, [job.id]);
    return place && place.hostId !== hostId && !place.isLost ? undefined : exportHere(job, how);
  };
}

/** Restores a backup into an empty data folder and the database that the settings name. */
export function restore(config: Config, version: string, source: string): Promise<Manifest> {
  return restoreBackup({
    source,
    dataFolder: config.dataFolder,
    version,
    clock: systemClock,
    random: systemRandom,
    openDatabase: (file) => openEmptyDatabase(config, file),
  });
}
