import os from "node:os";
import type { Config } from "#config/settings";
import { toWireTime } from "#plumbing/clock";
import { DataFolderError } from "#plumbing/files/data-folder";
import type { Connection } from "#store/database/database";
import { claimDatabase, type DatabaseHolder, maybeOtherHolder } from "#store/hosts/database-holder";

/**
 * The files, logs and keys of the runs of a database are in one folder. An SQLite database is in the data folder itself.
 * A PostgreSQL database belongs to the first data folder that uses it, or to the servers of one shared folder
 * (docs/decisions/20261127-several-servers.md).
 */

type Settings = Pick<Config, "database" | "dataFolder" | "sharedFolder">;

/** A host, and the id of its shared folder, if any. */
interface Claimant {
  readonly id: string;
  readonly sharedId: string | null;
}

/** Claims the database for the folder of this host. Refuses a database with files in another folder. */
export async function holdDatabase(settings: Settings, db: Connection, host: Claimant): Promise<void> {
  if (settings.database === undefined) return;
  refuse(settings, host, await claimDatabase(db, { ...host, name: os.hostname() }));
}

/** Refuses a database with files in another folder, and changes nothing. */
export async function refuseOtherHolder(settings: Settings, db: Connection, host: Claimant): Promise<void> {
  if (settings.database === undefined) return;
  refuse(settings, host, await maybeOtherHolder(db, host));
}

function refuse(settings: Settings, host: Claimant, holder: DatabaseHolder | undefined): void {
  if (!holder) return;
  throw new DataFolderError(
    holder.id === host.id ? sharedBefore(settings) : otherFolder(settings, holder, host.sharedId),
  );
}

/** The data folder had a shared folder at its last start. */
function sharedBefore({ dataFolder, sharedFolder }: Settings): string {
  const now =
    sharedFolder === undefined ? "no shared folder" : `the shared folder ${sharedFolder}, which is another`;
  return (
    `The server of the data folder ${dataFolder} had the files of its runs in a shared folder before, and now has ${now}. ` +
    "Name the former one with --shared."
  );
}

function otherFolder(
  { dataFolder, sharedFolder }: Settings,
  { name, id, seenAtMs, isPresent, sharedId }: DatabaseHolder,
  ownSharedId: string | null,
): string {
  const seen =
    seenAtMs === 0 ? "has signed off" : `was last seen at ${toWireTime(seenAtMs).replace("T", " ")} UTC`;
  const kind = sharedId === null ? "data folder" : "shared folder";
  const own = ownSharedId === null ? dataFolder : sharedFolder;
  return (
    `The database that REPRISE_DATABASE names belongs to another ${kind} than ${own}: that of the host ` +
    `${name} (${id}), whose server ${isPresent ? `is running (it ${seen})` : seen}. The files of its runs are in ` +
    "that folder, and only servers with one shared folder (--shared) can use a database together. " +
    nextStep(isPresent, sharedId)
  );
}

function nextStep(isPresent: boolean, sharedId: string | null): string {
  if (sharedId !== null) return "Name the folder of that host with --shared, or an empty database here.";
  if (isPresent) return "Use that server, or name an empty database here.";
  return (
    "Start the server with that folder, which you may move to another machine. If the folder is lost, restore " +
    "a backup into an empty database with `reprise restore`."
  );
}
