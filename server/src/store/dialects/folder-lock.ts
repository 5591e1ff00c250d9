import { readFileSync, statSync } from "node:fs";
import SqliteDatabase from "better-sqlite3";
import { codeOf } from "#plumbing/errors";

/**
 * Lock held by a process while using a data folder. The kernel frees the lock when the process dies for any
 * reason.
 */
export interface FolderLock {
  release(): void;
}

/** Thrown if another process uses the folder. Nothing in the folder has been touched. */
export class FolderInUseError extends Error {
  constructor(file: string, options: ErrorOptions) {
    const pid = maybeHolder(file);
    const command = pid === undefined ? undefined : maybeCommandOf(pid);
    const who = pid === undefined ? "" : ` (pid ${pid}${command === undefined ? "" : `, "${command}"`})`;
    super(
      `The data folder is in use by another Reprise process${who}, which holds ${file}. ` +
        `Stop that one first, or choose another folder with --data.${command?.startsWith("reprise run") ? SERVER_FIRST : ""}`,
      options,
    );
    this.name = "FolderInUseError";
  }
}

const SERVER_FIRST =
  " To have both, start the server first: `reprise run`, also with --watch, then hands its runs to it.";

/**
 * Returns the command carried out by a process, without arguments: `reprise run --watch`. Undefined outside
 * Linux.
 */
function maybeCommandOf(pid: number): string | undefined {
  try {
    const words = readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
    const at = words.findIndex((word) => /(^|\/)(reprise(\.js)?|main\.[jt]s)$/.test(word));
    const command = at === -1 ? undefined : words[at + 1];
    if (command === undefined || !/^[a-z-]+$/.test(command)) return undefined;
    return ["reprise", command, ...(words.includes("--watch") ? ["--watch"] : [])].join(" ");
  } catch {
    return undefined; // the process has ended, or belongs to another user
  }
}

/** Returns the pid of the holder. Undefined outside Linux, or if the holder runs in another container. */
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
 * Locks the data folder. Node has no call to lock a file, but SQLite does: an exclusive transaction on an
 * empty database is an `fcntl` lock. The lock needs no cleanup after a crash, and jobs outliving the server
 * do not inherit the lock. The lock uses a separate database because the real database must stay readable for
 * backups. No other code in this process may open the lock file: closing the file there would free the lock.
 */
export function holdFolderLock(file: string): FolderLock {
  const sqlite = new SqliteDatabase(file, { timeout: 0 });
  try {
    // An on-disk journal would need space, and a full disk must not keep a server from starting.
    sqlite.pragma("journal_mode = MEMORY");
    sqlite.exec("begin exclusive");
  } catch (error) {
    sqlite.close();
    if (codeOf(error) === "SQLITE_BUSY") throw new FolderInUseError(file, { cause: error });
    throw error;
  }
  return { release: () => void sqlite.close() };
}
