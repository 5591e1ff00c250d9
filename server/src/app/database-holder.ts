import os from "node:os";
import type { Config } from "#config/settings";
import { toWireTime } from "#plumbing/clock";
import { DataFolderError } from "#plumbing/files/data-folder";
import type { Connection } from "#store/database/database";
import { claimDatabase, type DatabaseHolder, maybeOtherHolder } from "#store/hosts/database-holder";

/**
 * A database belongs to one data folder, because the files, logs and keys of the runs are in that folder
 * alone. An SQLite database is in the folder itself; a PostgreSQL database belongs to the first folder that
 * uses the database (docs/decisions/20261127-one-data-folder-per-database.md).
 */

type Settings = Pick<Config, "database" | "dataFolder">;

/** Claims the database for the data folder with this host id. Refuses the database of another folder. */
export async function holdDatabase(settings: Settings, db: Connection, hostId: string): Promise<void> {
  if (settings.database === undefined) return;
  refuse(settings, await claimDatabase(db, { id: hostId, name: os.hostname() }));
}

/** Refuses the database of another folder, and changes nothing. */
export async function refuseOtherHolder(settings: Settings, db: Connection, hostId: string): Promise<void> {
  if (settings.database === undefined) return;
  refuse(settings, await maybeOtherHolder(db, hostId));
}

function refuse({ dataFolder }: Settings, holder: DatabaseHolder | undefined): void {
  if (!holder) return;
  const { name, id, seenAtMs, isPresent } = holder;
  const seen =
    seenAtMs === 0 ? "has signed off" : `was last seen at ${toWireTime(seenAtMs).replace("T", " ")} UTC`;
  throw new DataFolderError(
    `The database that REPRISE_DATABASE names belongs to another data folder than ${dataFolder}: that of the host ` +
      `${name} (${id}), whose server ${isPresent ? `is running (it ${seen})` : seen}. The files of its runs are in ` +
      "that folder, and servers cannot share a database. " +
      (isPresent
        ? "Use that server, or name an empty database here."
        : "Start the server with that folder, which you may move to another machine. If the folder is lost, restore " +
          "a backup into an empty database with `reprise restore`."),
  );
}
