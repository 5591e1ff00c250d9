import { readFileSync, statSync } from "node:fs";
import SqliteDatabase from "better-sqlite3";
import { codeOf } from "#plumbing/errors";

/** Held as long as this process uses a data folder; the kernel frees it when the process dies, however it dies. */
export interface FolderLock {
  release(): void;
}

/** Thrown when another process uses the folder; nothing in it has been touched. */
export class FolderInUseError extends Error {
  constructor(file: string, options: ErrorOptions) {
    const pid = maybeHolder(file);
    super(
      `The data folder is in use by another Reprise process${pid === undefined ? "" : ` (pid ${pid})`}, which holds ${file}. ` +
        "Stop that one first, or choose another folder with --data.",
      options,
    );
    this.name = "FolderInUseError";
  }
}

/** Returns the process that the kernel names as the holder; nothing outside Linux, or when it lives in another container. */
function maybeHolder(file: string): number | undefined {
  try {
    // SQLite locks bytes from 2^30 on.
    const { ino } = statSync(file);
    const lock = new RegExp(`POSIX +ADVISORY +WRITE +([1-9]\\d*) \\w+:\\w+:${ino} 107374182\\d `);
    const [, pid] = lock.exec(readFileSync("/proc/locks", "utf8")) ?? [];
    return pid === undefined ? undefined : Number(pid);
  } catch {
    return undefined;
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
