import { rm } from "node:fs/promises";
import type { Config } from "#config";
import type { TokenSeal } from "#operations/context";
import { makeAdministrator } from "#operations/make-administrator";
import { systemClock } from "#plumbing/clock";
import { crashPoint } from "#plumbing/crash-points";
import { type DataFolder, prepareDataFolder } from "#plumbing/data-folder";
import { type DiskSpace, openDiskSpace } from "#plumbing/disk-space";
import { systemRandom } from "#plumbing/ids";
import { createSeal, SEAL_KEY_BYTES } from "#plumbing/seal";
import { keepInFile, secretInFile } from "#plumbing/secret-file";
import { openDatabase } from "#open-database";
import type { Connection } from "#store/database";
import { type FolderLock, holdFolderLock } from "#store/dialects/folder-lock";
import type { User } from "#store/users";
import { openUploads, type Uploads } from "#workspace/uploads";
import { openWorkspaces } from "#workspace/workspaces";

export interface OpenedData {
  readonly data: DataFolder;
  readonly disk: DiskSpace;
  readonly db: Connection;
  readonly hostId: string;
  readonly tokenSeal: TokenSeal;
  readonly workspaces: ReturnType<typeof openWorkspaces>;
  readonly uploads: Uploads;
  readonly admin: User;
  readonly adminToken: string;
  close(): Promise<void>;
}

/** Where it is told what befalls the database while nobody waits for it. The log lies in the folder that is opened first. */
export interface Troubles {
  tell(error: unknown, message: string): void;
}

/** The data folder under its lock, and the database with an administrator in it. */
export async function openData(config: Config, troubles: Troubles): Promise<OpenedData> {
  const data = await prepareDataFolder(config.dataFolder);
  crashPoint("data-folder-made");
  const lock = holdFolderLock(data.lock);
  // The address of a server that was killed: it must not be taken for ours while we hold the folder.
  await rm(data.server, { force: true });
  const disk = openDiskSpace({
    folder: data.folder,
    reserveFile: data.reserve,
    minFreeBytes: config.minFreeBytes,
    random: systemRandom,
  });
  disk.ensureRoom();
  const db = await openDatabase(config, data, {
    onTrouble: (error, message) => troubles.tell(error, message),
    onFull: disk.makeRoom,
  }).catch((error: unknown) => {
    lock.release();
    throw error;
  });
  const close = () => closeData(db, lock);
  try {
    const hostId = await secretInFile(data.hostId, () => systemRandom.uuid());
    const makeKey = () => systemRandom.bytes(SEAL_KEY_BYTES).toString("base64");
    const tokenSeal = createSeal(
      Buffer.from(await secretInFile(data.secretKey, makeKey), "base64"),
      systemRandom,
    );
    const wanted = { email: config.adminEmail, token: config.adminToken };
    const context = { db, tokenSeal, clock: systemClock, random: systemRandom };
    const { admin, token } = await makeAdministrator(context, wanted);
    crashPoint("administrator-made");
    await disk.withRoom(() => keepInFile(data.adminToken, token));
    const workspaces = openWorkspaces({
      folder: data.workspaces,
      incomingFolder: data.incoming,
      fsync: config.durability === "full",
      random: systemRandom,
      clock: systemClock,
    });
    const uploads = openUploads({
      folder: data.uploads,
      clock: systemClock,
      fsync: config.durability === "full",
    });
    return { data, disk, db, hostId, tokenSeal, workspaces, uploads, admin, adminToken: token, close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function closeData(db: Connection, lock: FolderLock): Promise<void> {
  await db.destroy();
  lock.release();
}
