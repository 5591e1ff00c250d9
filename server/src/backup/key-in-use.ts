import { BackupError } from "#backup/backup-error";
import type { DataFolder } from "#plumbing/files/data-folder";
import { maybeReadFile } from "#plumbing/secrets/secret-file";

/** Thrown if the copied key may not open the copied rows. */
export class KeyChangedError extends BackupError {
  constructor() {
    super(
      "The backup was ended: the key of the data folder was changed at the same time. The incomplete copy was removed. " +
        "Run the backup again.",
    );
    this.name = "KeyChangedError";
  }
}

/**
 * Returns the key that the rows of the database need. Undefined if no key exists. Refuses during an
 * unfinished change of the key, because some rows may need the next key.
 */
export async function keyInUse({ secretKey, nextSecretKey }: DataFolder): Promise<string | undefined> {
  const key = await maybeReadFile(secretKey);
  if ((await maybeReadFile(nextSecretKey)) === undefined) return key;
  throw new BackupError(
    `Nothing was backed up: a change of the key is under way or was interrupted, because ${nextSecretKey} exists. ` +
      "Wait for `reprise admin change-key`, or start the server, which completes the change. Then run the backup again.",
  );
}
