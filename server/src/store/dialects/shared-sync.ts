import { closeSync, fdatasync, openSync } from "node:fs";
import { promisify } from "node:util";
import { messageOf } from "#plumbing/errors";

/** Forces what was written to an open file onto the disk, without holding up anybody else. */
export type SyncFile = (fd: number) => Promise<void>;

/** Thrown once a sync has failed, and from then on by everything that is asked of the database. */
export class NotOnDiskError extends Error {
  readonly code = "NOT_ON_DISK";

  constructor(file: string, cause: unknown) {
    super(
      `What was written to ${file} could not be forced onto the disk (${messageOf(cause)}). From here on nothing is ` +
        "answered from the database, because nobody can know what of it would survive a power cut. See that the disk " +
        "is sound, then start the server again: it goes on with what is there.",
      { cause },
    );
    this.name = "NotOnDiskError";
  }
}

/**
 * One sync for all who wait. A commit is on the disk when a sync that began after it has ended; at most one is under
 * way, and the next one takes all who came meanwhile.
 *
 * The file is opened once and held: the kernel tells of a failed write once to each who has the file open, so also of
 * one in the background, or of one that somebody else was told of and did not pass on. After a failure the kernel takes
 * the pages for written, and another sync would succeed without them: there is no second try.
 */
export class SharedSync {
  readonly #file: string;
  readonly #fd: number;
  readonly #syncFile: SyncFile;
  /** What is there when it is opened was perhaps never forced onto the disk: it counts as one commit. */
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

  /** Throws when a sync has failed. */
  check(): void {
    if (this.#failure) throw this.#failure;
  }

  /** Answers when everything that was committed before this call is on the disk. */
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

  /** A sync that is under way has the file still; who waits for it hears how it ends. */
  async close(): Promise<void> {
    while (this.#underWay) await this.#underWay.catch(() => undefined);
    closeSync(this.#fd);
  }
}
