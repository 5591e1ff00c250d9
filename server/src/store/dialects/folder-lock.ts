import SqliteDatabase from "better-sqlite3";
import { codeOf } from "#plumbing/errors";

/** Held as long as this process uses a data folder; the kernel frees it when the process dies, however it dies. */
export interface FolderLock {
  release(): void;
}

/** Thrown when another process uses the folder; nothing in it has been touched. */
export class FolderInUseError extends Error {
  constructor(file: string, options: ErrorOptions) {
    super(
      `The data folder is in use by another Reprise process, which holds ${file}. ` +
        "Stop that one first, or choose another folder with --data.",
      options,
    );
    this.name = "FolderInUseError";
  }
}

/**
 * Node has no call for a lock on a file, but SQLite has: an exclusive transaction on an empty database is a lock by
 * `fcntl`, which needs no cleaning up after a crash and which jobs that outlive the server do not inherit. A database
 * of its own, because the real one must stay readable for backups. Nothing else in this process may open that file:
 * closing it there would free the lock.
 */
export function holdFolderLock(file: string): FolderLock {
  const sqlite = new SqliteDatabase(file, { timeout: 0 });
  try {
    // A journal on the disk would need space there, and a full disk must not keep a server from starting.
    sqlite.pragma("journal_mode = MEMORY");
    sqlite.exec("begin exclusive");
  } catch (error) {
    sqlite.close();
    if (codeOf(error) === "SQLITE_BUSY") throw new FolderInUseError(file, { cause: error });
    throw error;
  }
  return { release: () => void sqlite.close() };
}
