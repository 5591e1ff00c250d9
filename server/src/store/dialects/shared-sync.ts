import { closeSync, fdatasync, openSync } from "node:fs";
import { promisify } from "node:util";
import { messageOf } from "#plumbing/errors";

/** Forces an open file's written data onto the disk, without blocking other work. */
export type SyncFile = (fd: number) => Promise<void>;

/** Thrown by every database call after a sync has failed. */
export class NotOnDiskError extends Error {
  readonly code = "NOT_ON_DISK";

  constructor(file: string, cause: unknown) {
    super(
      `${file} could not be synced to the disk (${messageOf(cause)}). The server no longer uses the database, ` +
        "because its last changes might not survive a power cut. Check the disk, then restart the server: it " +
        "continues with what the disk holds.",
      { cause },
    );
    this.name = "NotOnDiskError";
  }
}

/**
 * One sync for all waiting commits. A commit is on the disk when a sync that started after it has ended. At most one
 * sync runs at a time, and the next one covers all commits that arrived during it.
 *
 * The file is opened once and kept open: the kernel reports a failed write once to each open file, so this also catches
 * failures of background writes, and failures that were reported to another process and dropped there. After a failure
 * the kernel treats the pages as written, and another sync would succeed without them: there is no second try.
 */
export class SharedSync {
  readonly #file: string;
  readonly #fd: number;
  readonly #syncFile: SyncFile;
  /** Existing content may never have been forced onto the disk, so it counts as one commit. */
  #committed = 1;
  #synced = 0;
  #underWay: Promise<void> | undefined;
  #failure: NotOnDiskError | undefined;

  constructor(file: string, syncFile: SyncFile = promisify(fdatasync)) {
    this.#file = file;
    this.#fd = openSync(file, "r+");
    this.#syncFile = syncFile;
  }

  noteCommit(): void {
    this.#committed += 1;
  }

  /** Throws if a sync has failed. */
  check(): void {
    if (this.#failure) throw this.#failure;
  }

  /** Resolves when everything that was committed before this call is on the disk. */
  async settled(): Promise<void> {
    const wanted = this.#committed;
    while (this.#synced < wanted) {
      this.check();
      await (this.#underWay ??= this.#sync());
    }
  }

  async #sync(): Promise<void> {
    const covered = this.#committed;
    try {
      await this.#syncFile(this.#fd);
      this.#synced = covered;
    } catch (error) {
      this.#failure = new NotOnDiskError(this.#file, error);
      throw this.#failure;
    } finally {
      this.#underWay = undefined;
    }
  }

  /** Closes the file after the sync that is using it. Commits that wait for that sync still get its outcome. */
  async close(): Promise<void> {
    while (this.#underWay) await this.#underWay.catch(() => undefined);
    closeSync(this.#fd);
  }
}
