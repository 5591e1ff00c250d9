import { existsSync } from "node:fs";
import { mkdir, rm } from "node:fs/promises";
import path from "node:path";
import type { Config } from "#config/settings";
import type { TokenSeal } from "#operations/context";
import { makeAdministrator } from "#operations/users/make-administrator";
import { systemClock } from "#plumbing/clock";
import { crashPoint } from "#plumbing/crash-points";
import {
  type DataFolder,
  DataFolderError,
  dataFolderPaths,
  prepareDataFolder,
  refuseHalfRestored,
} from "#plumbing/files/data-folder";
import { diskFloor, type DiskSpace, openDiskSpace, UNWATCHED_DISK } from "#plumbing/files/disk-space";
import { withSharedDisk } from "#plumbing/files/shared-disk";
import { systemRandom } from "#plumbing/ids";
import { keepInFile, maybeReadFile, secretInFile } from "#plumbing/secrets/secret-file";
import { openDatabase, openRunningDatabase } from "#app/database";
import { holdDatabase, refuseOtherHolder } from "#app/database-holder";
import { finishKeyChange, maybeSealToRead, openSeal } from "#app/secret-key";
import { openSharedFolder, sharedIdOf } from "#app/shared-folder";
import { type Connection, type DatabaseState, inspectDatabase } from "#store/database/database";
import { type FolderLock, holdFolderLock } from "#store/dialects/folder-lock";
import { maybeAdmin, type User } from "#store/users/users";
import { openUploads, type Uploads } from "#workspace/write/uploads";
import { readableRoots } from "#app/jobs/readable-roots";
import { openWorkspaces } from "#workspace/workspaces";

export interface OpenedData {
  readonly data: DataFolder;
  readonly disk: DiskSpace;
  readonly db: Connection;
  readonly hostId: string;
  /** Identifies the folder that the server shares with others. Null if the files of runs are in its data folder. */
  readonly sharedId: string | null;
  /** Files that are not yet in a workspace. Only this server uses the folder. */
  readonly incomingFolder: string;
  readonly tokenSeal: TokenSeal;
  readonly workspaces: ReturnType<typeof openWorkspaces>;
  readonly uploads: Uploads;
  readonly admin: User;
  readonly adminToken: string;
  /** Undefined if the folder is opened for reading. */
  readonly keepAdminToken?: () => Promise<void>;
  close(): Promise<void>;
}

/**
 * Receives database problems that no caller is waiting for. The log is in the data folder, which is opened
 * first.
 */
export interface DatabaseHooks {
  onDatabaseError(error: unknown, message: string): void;
  /** Called once this process alone uses the folder, before the database is opened. */
  onFolderHeld?(data: DataFolder): void;
}

/** Opens the data folder under its lock, and the database with its administrator. */
export async function openData(config: Config, hooks: DatabaseHooks): Promise<OpenedData> {
  const data = await prepareDataFolder(config.dataFolder, config.sharedFolder);
  crashPoint("data-folder-made");
  const lock = holdFolderLock(data.lock);
  // The address of a killed server must not be mistaken for this server's address while this process holds
  // the folder.
  await rm(data.server, { force: true });
  const floorOf = diskFloor(config);
  const { folder, reserve: reserveFile } = data;
  const ownDisk = openDiskSpace({ folder, reserveFile, floorOf, random: systemRandom });
  ownDisk.ensureRoom();
  hooks.onFolderHeld?.(data);
  const db = await openWithItsKey(config, data, {
    onTrouble: (error, message) => hooks.onDatabaseError(error, message),
    onFull: ownDisk.makeRoom,
  }).catch((error: unknown) => {
    lock.release();
    throw error;
  });
  const close = () => closeData(db, lock);
  try {
    const hostId = await secretInFile(data.hostId, () => systemRandom.uuid());
    const sharedId = await openSharedFolder(data, db, hostId);
    const disk = data.isShared ? await withSharedDisk(ownDisk, { folder: data.shared, floorOf }) : ownDisk;
    await holdDatabase(config, db, { id: hostId, sharedId });
    const tokenSeal = await openSeal(data, hostId);
    const incomingFolder = await ownIncoming(data, hostId);
    const wanted = { email: config.adminEmail, token: config.adminToken };
    const context = { db, tokenSeal, clock: systemClock, random: systemRandom };
    const { admin, token } = await makeAdministrator(context, wanted);
    crashPoint("administrator-made");
    const keep = (text: string) => disk.withRoom(() => keepInFile(data.adminToken, text));
    await keep(token);
    const unnamed = { email: undefined, token: undefined };
    return {
      ...placesOf(config, data, incomingFolder, hostId),
      data,
      disk,
      db,
      hostId,
      sharedId,
      incomingFolder,
      tokenSeal,
      admin,
      adminToken: token,
      keepAdminToken: async () => keep((await makeAdministrator(context, unnamed)).token),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Opens the database after completing a change of the key that was interrupted. */
async function openWithItsKey(
  config: Config,
  data: DataFolder,
  hooks: Parameters<typeof openDatabase>[2],
): Promise<Connection> {
  const open = (settings: Config) => openDatabase(settings, data, hooks);
  await finishKeyChange(config, data, open);
  return open(config);
}

/**
 * Opens a data folder for reading, even while a server uses the folder. Takes no lock and creates no files.
 * Returns undefined if no server or `reprise run` has ever used the folder.
 */
export async function maybeOpenDataToRead(config: Config): Promise<OpenedData | undefined> {
  const data = dataFolderPaths(config.dataFolder, config.sharedFolder);
  await refuseHalfRestored(data);
  const [hostId, token] = await Promise.all([data.hostId, data.adminToken].map(maybeReadFile));
  const tokenSeal = await maybeSealToRead(data);
  const hasDatabase = config.database !== undefined || existsSync(data.database);
  if (!hostId || !tokenSeal || !token || !hasDatabase) return undefined;
  const db = await openRunningDatabase(config, data);
  try {
    refuseOtherTables(await inspectDatabase(db));
    const sharedId = await sharedIdOf(data);
    await refuseOtherHolder(config, db, { id: hostId.trim(), sharedId });
    const admin = await maybeAdmin(db);
    if (!admin)
      throw new DataFolderError(
        `The database of ${data.folder} has no administrator. Start the server once.`,
      );
    return {
      ...placesOf(config, data, data.incoming, hostId),
      data,
      disk: UNWATCHED_DISK,
      db,
      hostId: hostId.trim(),
      sharedId,
      incomingFolder: data.incoming,
      tokenSeal,
      admin,
      adminToken: token.trim(),
      close: () => db.destroy(),
    };
  } catch (error) {
    await db.destroy();
    throw error;
  }
}

/** Returns the folder for incoming files. Each server of a shared folder has its own, which it empties at its start. */
async function ownIncoming({ isShared, incoming }: DataFolder, hostId: string): Promise<string> {
  if (!isShared) return incoming;
  const own = path.join(incoming, hostId);
  await mkdir(own, { recursive: true, mode: 0o700 });
  return own;
}

/** Refuses tables of another version, because a reader cannot migrate them. */
function refuseOtherTables({ missing, refusal }: DatabaseState): void {
  if (refusal !== undefined) throw new DataFolderError(refusal);
  if (missing.length > 0) {
    throw new DataFolderError(
      "The database was written by an older version of Reprise. Bring it up to date with `reprise migrate`.",
    );
  }
}

/** Opens the folders with the files of runs. */
function placesOf(
  config: Config,
  data: DataFolder,
  incomingFolder: string,
  hostId: string,
): Pick<OpenedData, "workspaces" | "uploads"> {
  const fsync = config.durability === "full";
  return {
    workspaces: openWorkspaces({
      folder: data.workspaces,
      incomingFolder,
      readableRoots: readableRoots(config),
      fsync,
      areShared: data.isShared,
      random: systemRandom,
      clock: systemClock,
    }),
    uploads: openUploads({
      folder: data.uploads,
      clock: systemClock,
      fsync,
      hostId: data.isShared ? hostId : undefined,
    }),
  };
}

async function closeData(db: Connection, lock: FolderLock): Promise<void> {
  await db.destroy();
  lock.release();
}
