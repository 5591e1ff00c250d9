import { access, chmod, constants, mkdir, stat } from "node:fs/promises";
import path from "node:path";
import { codeOf, messageOf } from "#plumbing/errors";
import { syncFolder } from "#plumbing/files/sync-folder";

/** The paths of all files of a server: one place to look, one folder to back up. */
export interface DataFolder {
  readonly folder: string;
  /**
   * The folder with the files of all runs and the key. Several servers may share it; by default it is the data folder
   * itself.
   */
  readonly shared: string;
  /** True if the settings name the shared folder. Several servers may then use the folder at the same time. */
  readonly isShared: boolean;
  /** Identifies the shared folder in the database. */
  readonly sharedId: string;
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
  /** Uploads that are not yet in a workspace. In a shared folder, each host has a folder inside. */
  readonly incoming: string;
  /** Uploads in parts, until each is complete. */
  readonly uploads: string;
  /** The inputs that were fetched from addresses. Backups leave them out. */
  readonly contents: string;
  /** Crates that are being deposited on other servers. Backups leave the crates out. */
  readonly deposits: string;
  /** The output of jobs, and the records of their attempts. */
  readonly jobs: string;
  /** The records of jobs on clusters, which every server of the shared folder reads. */
  readonly records: string;
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

/** Returns the paths in a data folder, and in the folder that its server shares with others, if any. */
export function dataFolderPaths(folder: string, sharedFolder?: string): DataFolder {
  const shared = sharedFolder ?? folder;
  return {
    folder,
    shared,
    isShared: sharedFolder !== undefined,
    sharedId: path.join(shared, "shared-id"),
    database: path.join(folder, "reprise.sqlite"),
    lock: path.join(folder, "lock.sqlite"),
    secretKey: path.join(shared, "secret.key"),
    nextSecretKey: path.join(shared, "secret.key.next"),
    adminToken: path.join(folder, "admin-token"),
    hostId: path.join(folder, "host-id"),
    server: path.join(folder, "server.json"),
    log: path.join(folder, "logs", "server.log"),
    imagePulls: path.join(folder, "logs", "image-pulls"),
    privateImages: path.join(folder, "private-images"),
    registryCredentials: path.join(folder, "registry-credentials"),
    audit: path.join(folder, "logs", "audit.log"),
    workspaces: path.join(shared, "workspaces"),
    incoming: path.join(shared, "incoming"),
    uploads: path.join(shared, "uploads"),
    contents: path.join(folder, "contents"),
    deposits: path.join(folder, "deposits"),
    jobs: path.join(folder, "jobs"),
    records: path.join(shared, "jobs"),
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

/** Creates the missing folders of a data folder, accessible to their owner alone. */
export async function prepareDataFolder(folder: string, shared?: string): Promise<DataFolder> {
  const paths = dataFolderPaths(folder, shared);
  await refuseHalfRestored(paths);
  const inner = [paths.jobs, paths.environments, ...(paths.isShared ? [] : foldersOfRuns(paths))];
  await makeFolders(paths.folder, inner, { what: "data folder", option: "--data" });
  return paths;
}

/** Creates the missing folders of a shared folder, which must be there already: it may be a mount that is missing. */
export async function prepareSharedFolder(paths: DataFolder): Promise<void> {
  await makeFolders(paths.shared, foldersOfRuns(paths), { what: "shared folder", option: "--shared" });
}

function foldersOfRuns({ workspaces, incoming, uploads, records }: DataFolder): readonly string[] {
  return [workspaces, incoming, uploads, records];
}

async function makeFolders(
  folder: string,
  inner: readonly string[],
  { what, option }: { readonly what: string; readonly option: string },
): Promise<void> {
  try {
    await makeFolder(folder);
    for (const one of inner) {
      await makeFolder(one);
      await openUp(one);
    }
    await access(folder, constants.W_OK);
  } catch (error) {
    throw new DataFolderError(
      `The ${what} ${folder} cannot be used: ${messageOf(error)}. ` +
        `Choose another with ${option}, or repair this one: it must contain folders to which the server's user ` +
        "has full access.",
    );
  }
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

export async function isFolder(name: string): Promise<boolean> {
  try {
    return (await stat(name)).isDirectory();
  } catch (error) {
    if (["ENOENT", "ENOTDIR"].includes(codeOf(error) ?? "")) return false;
    throw error;
  }
}
