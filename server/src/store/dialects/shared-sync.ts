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
 * A common sync for all waiting commits. A commit is on the disk after the end of any sync started after the
 * commit. At most one sync runs at a time, and the next sync covers all commits made during the current sync.
 * The file is opened once and kept open: the kernel reports a failed write once to each open file, so the
 * sync also catches failures of background writes, and failures reported to another process and dropped
 * there. After a failure the kernel treats the pages as written, and another sync would succeed without
 * writing the pages. Therefore a failed sync is never repeated.
 */
export class SharedSync {
  readonly #file: string;
  readonly #fd: number;
  readonly #syncFile: SyncFile;
  /** Counts existing content as one commit, because it may never have been synced to the disk. */
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

  /** Resolves once all earlier commits are on the disk. */
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

  /** Closes the file after the current sync. Commits waiting for the sync still get its outcome. */
  async close(): Promise<void> {
    while (this.#underWay) await this.#underWay.catch(() => undefined);
    closeSync(this.#fd);
  }
}
