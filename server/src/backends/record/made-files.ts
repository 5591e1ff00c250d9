import { lstat, open, readdir } from "node:fs/promises";
import { constants } from "node:fs";
import path from "node:path";
import { codeOf } from "#plumbing/errors";
import { isPlainPath } from "#plumbing/files/relative-path";
import type { Job } from "#workflow/job/job";

/** A file that a job made, as its node saw it at the end of the job. */
export interface MadeFile {
  /** The path relative to the workspace. */
  readonly path: string;
  readonly bytes: number;
  /** Time of the last change, in seconds since 1970. */
  readonly changedAt: number;
}

/** A made file, late on this machine. */
export interface LateFile {
  readonly path: string;
  /** The number of bytes on this machine. Undefined if the file is not there. */
  readonly seenBytes: number | undefined;
  readonly bytes: number;
}

/**
 * Returns the folders in which a job makes its files, relative to the workspace. Empty if several jobs may work in a
 * folder at once, because the files there do not name the job that made them.
 */
export function madeFolders({ collect, writable, isStamped }: Job): readonly string[] {
  if (collect || writable) return [...new Set([...(collect ? [collect.folder] : []), ...(writable ?? [])])];
  return isStamped ? [""] : [];
}

/** Parses the list of made files that a supervisor wrote. Undefined if the list is incomplete. */
export function maybeMadeFiles(text: string): readonly MadeFile[] | undefined {
  if (!/(^|\n)\.\n$/.test(text)) return undefined;
  return [...text.matchAll(LINE)]
    .map(([, bytes, changedAt, file]) => ({
      path: file!,
      bytes: Number(bytes),
      changedAt: Number(changedAt),
    }))
    .filter((made) => isPlainPath(made.path));
}

const LINE = /^(\d{1,16}) (\d{1,12}) \.\/(.+)$/gm;

/** Returns the lines of made files for the supervisor of a later job. */
export function expectedText(files: Iterable<MadeFile>): string {
  return [...files].map(({ path: file, bytes, changedAt }) => `${bytes} ${changedAt} ./${file}\n`).join("");
}

/**
 * Returns a file of a workspace that this machine does not see yet as it was made. A file that was changed later counts as
 * seen.
 */
export async function maybeLateFile(
  workspaceFolder: string,
  files: readonly MadeFile[],
): Promise<LateFile | undefined> {
  const names = new Map<string, ReadonlySet<string>>();
  for (const file of files) {
    const { dir, base } = path.posix.parse(file.path);
    // A later listing must have the name as well: engines find outputs by listings.
    let listed = names.get(dir);
    if (!listed) names.set(dir, (listed = await namesIn(path.join(workspaceFolder, dir))));
    const late = listed.has(base) ? await maybeLate(workspaceFolder, file) : absent(file);
    if (late) return late;
  }
  return undefined;
}

async function namesIn(folder: string): Promise<ReadonlySet<string>> {
  return new Set(await unlessAbsent(readdir(folder)));
}

async function maybeLate(workspaceFolder: string, made: MadeFile): Promise<LateFile | undefined> {
  const file = path.join(workspaceFolder, made.path);
  const first = await unlessAbsent(lstat(file));
  if (first && isAsMade(first, made)) return undefined;
  // A client of a network file system asks its server when a file is opened.
  await unlessAbsent(open(file, OPEN_FLAGS).then((handle) => handle.close()));
  const seen = await unlessAbsent(lstat(file));
  if (!seen) return absent(made);
  return isAsMade(seen, made) ? undefined : { path: made.path, seenBytes: seen.size, bytes: made.bytes };
}

const OPEN_FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

function absent({ path: file, bytes }: MadeFile): LateFile {
  return { path: file, seenBytes: undefined, bytes };
}

type Seen = Awaited<ReturnType<typeof lstat>>;

function isAsMade(seen: Pick<Seen, "isFile" | "mtimeMs" | "size">, { bytes, changedAt }: MadeFile): boolean {
  const seenAt = Math.floor(Number(seen.mtimeMs) / 1000);
  return !seen.isFile() || seenAt > changedAt || (seenAt === changedAt && Number(seen.size) === bytes);
}

/** A file that cannot be opened, as for want of permission, is seen by its size all the same. */
const ABSENT = new Set(["ENOENT", "ENOTDIR", "EACCES", "EPERM", "ELOOP", "ENXIO", "ESTALE"]);

async function unlessAbsent<Result>(work: Promise<Result>): Promise<Result | undefined> {
  try {
    return await work;
  } catch (error) {
    if (ABSENT.has(String(codeOf(error)))) return undefined;
    throw error;
  }
}
