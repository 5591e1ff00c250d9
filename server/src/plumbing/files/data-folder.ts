import { access, chmod, constants, mkdir, stat } from "node:fs/promises";
import path from "node:path";
import { codeOf, messageOf } from "#plumbing/errors";
import { syncFolder } from "#plumbing/files/sync-folder";

/** The paths of all files of a server: one place to look, one folder to back up. */
export interface DataFolder {
  readonly folder: string;
  readonly database: string;
  readonly lock: string;
  /** The key that encrypts the tokens in the database. */
  readonly secretKey: string;
  /** The next key, while the values in the database are being encrypted with it (`app/secret-key.ts`). */
  readonly nextSecretKey: string;
  readonly adminToken: string;
  /** Identifies the jobs of this folder in the database. */
  readonly hostId: string;
  /** The file with the running server's address. */
  readonly server: string;
  /** The server's log in JSON lines, unless it goes to standard error. */
  readonly log: string;
  /** The logs of pulls of images. */
  readonly imagePulls: string;
  /** The names of images that were fetched with credentials. */
  readonly privateImages: string;
  /** Credentials for registries while images are pulled with them. */
  readonly registryCredentials: string;
  /** The audit log, in JSON lines. */
  readonly audit: string;
  readonly workspaces: string;
  /** Uploads that are not yet in a workspace. */
  readonly incoming: string;
  /** Uploads in parts, until each is complete. */
  readonly uploads: string;
  /** The output of jobs, and the records of their attempts. */
  readonly jobs: string;
  /**
   * Private Python environments, readable by jobs. Backups leave them out, because `reprise setup` rebuilds
   * them.
   */
  readonly environments: string;
  /** Exists while a backup is being restored into the folder. */
  readonly restoring: string;
  /** The time and the place of the last backup. */
  readonly lastBackup: string;
  /** Space that is released when the disk is full (`disk-space.ts`). */
  readonly reserve: string;
}

/** Thrown with a sentence for the person who started the server. */
export class DataFolderError extends Error {}

export function dataFolderPaths(folder: string): DataFolder {
  return {
    folder,
    database: path.join(folder, "reprise.sqlite"),
    lock: path.join(folder, "lock.sqlite"),
    secretKey: path.join(folder, "secret.key"),
    nextSecretKey: path.join(folder, "secret.key.next"),
    adminToken: path.join(folder, "admin-token"),
    hostId: path.join(folder, "host-id"),
    server: path.join(folder, "server.json"),
    log: path.join(folder, "logs", "server.log"),
    imagePulls: path.join(folder, "logs", "image-pulls"),
    privateImages: path.join(folder, "private-images"),
    registryCredentials: path.join(folder, "registry-credentials"),
    audit: path.join(folder, "logs", "audit.log"),
    workspaces: path.join(folder, "workspaces"),
    incoming: path.join(folder, "incoming"),
    uploads: path.join(folder, "uploads"),
    jobs: path.join(folder, "jobs"),
    environments: path.join(folder, "environments"),
    restoring: path.join(folder, "restoring"),
    lastBackup: path.join(folder, "last-backup.json"),
    reserve: path.join(folder, "reserve"),
  };
}

/** Refuses a folder that a restore has left with only some parts in place. */
export async function refuseHalfRestored({ folder, restoring }: DataFolder): Promise<void> {
  if (!(await isFolder(restoring))) return;
  throw new DataFolderError(
    `The data folder ${folder} cannot be used: a backup is being restored into it, or a restore was ` +
      "interrupted. In that case, empty the folder and restore again.",
  );
}

/** Creates the missing folders, accessible to their owner alone. */
export async function prepareDataFolder(folder: string): Promise<DataFolder> {
  const paths = dataFolderPaths(folder);
  await refuseHalfRestored(paths);
  try {
    await makeFolder(paths.folder);
    for (const inner of [paths.workspaces, paths.incoming, paths.uploads, paths.jobs, paths.environments]) {
      await makeFolder(inner);
      await openUp(inner);
    }
    await access(paths.folder, constants.W_OK);
  } catch (error) {
    throw new DataFolderError(
      `The data folder ${folder} cannot be used: ${messageOf(error)}. ` +
        "Choose another with --data, or repair this one: it must contain folders to which the server's user " +
        "has full access.",
    );
  }
  return paths;
}

/**
 * Restores the owner's rights to a folder. Jobs run as the server's user, so a job may have removed the
 * rights.
 */
async function openUp(folder: string): Promise<void> {
  try {
    await access(folder, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    await chmod(folder, 0o700).catch(() => {
      throw error;
    });
  }
}

/**
 * Creates a folder and its parents. The `recursive` option of `mkdir` is not used: it loops forever if a
 * folder refuses new entries with ENOENT, as /proc does.
 */
async function makeFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder, { mode: 0o700 });
  } catch (error) {
    if (await isFolder(folder)) return;
    if (codeOf(error) !== "ENOENT" || (await isFolder(path.dirname(folder)))) throw error;
    await makeFolder(path.dirname(folder));
    return makeFolder(folder);
  }
  await syncFolder(path.dirname(folder));
}

async function isFolder(name: string): Promise<boolean> {
  try {
    return (await stat(name)).isDirectory();
  } catch (error) {
    if (["ENOENT", "ENOTDIR"].includes(codeOf(error) ?? "")) return false;
    throw error;
  }
}
