import { link, mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { codeOf, messageOf } from "#plumbing/errors";
import { type DataFolder, DataFolderError, isFolder, prepareSharedFolder } from "#plumbing/files/data-folder";
import { systemRandom } from "#plumbing/ids";
import { firstSecretInFile, maybeReadFile } from "#plumbing/secrets/secret-file";
import type { Connection } from "#store/database/database";
import { type KnownFolders, knownFolders } from "#store/hosts/database-holder";

/**
 * The folder that several servers share (docs/decisions/20261127-several-servers.md). Its id is in the file `shared-id`,
 * and in the database with each host that uses it.
 */

/**
 * Makes the shared folder ready and returns its id. Returns null if the settings name none. Refuses a folder that is
 * not the one of the database, or that cannot do what servers rely on.
 */
export async function openSharedFolder(
  data: DataFolder,
  db: Connection,
  hostId: string,
): Promise<string | null> {
  if (!data.isShared) return null;
  if (!(await isFolder(data.shared))) {
    throw new DataFolderError(
      `The shared folder ${data.shared} does not exist. Mount it, or make it, on each machine with a server.`,
    );
  }
  const known = await knownFolders(db);
  const id = await sharedIdOf(data);
  if (id === null) await refuseForeignFolder(data, known);
  else await refuseForeignDatabase(data, id, known);
  await prepareSharedFolder(data);
  await refuseUnreliable(data, hostId);
  return firstSecretInFile(data.sharedId, () => systemRandom.uuid(), hostId);
}

/** Returns the id of the shared folder. Null if the settings name none, or if no server has used the folder. */
export async function sharedIdOf({ isShared, sharedId }: DataFolder): Promise<string | null> {
  return (isShared && (await maybeReadFile(sharedId))?.trim()) || null;
}

/** Refuses a folder without an id if the files of the database must be elsewhere. */
async function refuseForeignFolder(
  { shared, folder, secretKey }: DataFolder,
  { sharedIds, hasOwnFiles }: KnownFolders,
): Promise<void> {
  if (sharedIds.length > 0) {
    throw new DataFolderError(
      `The shared folder ${shared} is not the one of the other servers of this database: it has no file shared-id. ` +
        "Is it mounted? Otherwise name the right one with --shared.",
    );
  }
  if (!hasOwnFiles || (await maybeReadFile(secretKey)) !== undefined) return;
  throw new DataFolderError(
    `The files of the runs of this database are not in the shared folder ${shared}. Share the data folder itself ` +
      `(--shared ${folder}), or move its workspaces, uploads, jobs/slurm, jobs/htcondor and secret.key to ${shared} first.`,
  );
}

/** Refuses a folder with the files of another database. */
async function refuseForeignDatabase(
  { shared, workspaces }: DataFolder,
  id: string,
  { sharedIds, hasOwnFiles }: KnownFolders,
): Promise<void> {
  if (sharedIds.includes(id) || hasOwnFiles || sharedIds.length > 0) return;
  if (!(await isFolder(workspaces)) || (await readdir(workspaces)).length === 0) return;
  throw new DataFolderError(
    `The shared folder ${shared} belongs to another database than the one that REPRISE_DATABASE names. ` +
      "Name that database, or an empty folder with --shared.",
  );
}

/**
 * Refuses a disk on which two servers could both believe that they were first. Servers and jobs agree by names alone: an
 * exclusive link or folder has one winner, and a rename shows a file as a whole.
 */
async function refuseUnreliable({ shared, incoming }: DataFolder, hostId: string): Promise<void> {
  const folder = path.join(incoming, `probe-${hostId}`);
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const fault = await maybeFault(folder);
    if (fault !== undefined) throw new Error(fault);
  } catch (error) {
    throw new DataFolderError(
      `The shared folder ${shared} cannot be used by several servers: ${messageOf(error)}. It needs a file system with ` +
        "hard links, exclusive creation and atomic renames, such as NFS, CephFS, Lustre or GlusterFS.",
      { cause: error },
    );
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function maybeFault(folder: string): Promise<string | undefined> {
  const [first, second, third] = ["first", "second", "third"].map((name) => path.join(folder, name));
  const content = systemRandom.uuid();
  await writeFile(first!, content, { flag: "wx", flush: true });
  await link(first!, second!);
  if (!(await isRefused(() => link(first!, second!)))) return "a hard link replaced a file";
  if (!(await isRefused(() => mkdir(second!)))) return "a new folder replaced a file";
  if (!(await isRefused(() => writeFile(first!, "", { flag: "wx" })))) return "a file was created twice";
  await rename(second!, third!);
  if ((await readdir(folder)).toSorted().join() !== "first,third")
    return "a renamed file has no name, or two";
  if ((await readFile(third!, "utf8")) !== content) return "a renamed file has lost its content";
  return undefined;
}

async function isRefused(create: () => Promise<unknown>): Promise<boolean> {
  try {
    await create();
    return false;
  } catch (error) {
    if (codeOf(error) === "EEXIST") return true;
    throw error;
  }
}
