import { createHash } from "node:crypto";
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
  /** SHA-256 of the content. Absent if the job does not declare the file, or makes too many bytes. */
  readonly sha256?: string;
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

/**
 * Returns the folders with the outputs that a job declares, relative to the workspace. A step of a serial workflow declares
 * no outputs, so each file of the step counts.
 */
export function declaredFolders({ collect, isStamped }: Job): readonly string[] {
  if (collect) return [collect.folder];
  return isStamped ? [""] : [];
}

/** Parses the list of made files that a supervisor wrote. Undefined if the list is incomplete. */
export function maybeMadeFiles(text: string): readonly MadeFile[] | undefined {
  if (!/(^|\n)\.\n$/.test(text)) return undefined;
  const digests = new Map([...text.matchAll(DIGEST_LINE)].map(([, sha256, file]) => [file!, sha256!]));
  return [...text.matchAll(LINE)]
    .map(([, bytes, changedAt, file]) => ({
      path: file!,
      bytes: Number(bytes),
      changedAt: Number(changedAt),
      ...(digests.has(file!) && { sha256: digests.get(file!)! }),
    }))
    .filter((made) => isPlainPath(made.path));
}

const LINE = /^(\d{1,16}) (\d{1,12}) \.\/(.+)$/gm;
/** A line of `sha256sum`. A line about a name with a backslash begins with one, and is not read. */
const DIGEST_LINE = /^([0-9a-f]{64}) [ *]\.\/(.+)$/gm;

/** Returns the lines of made files for the supervisor of a later job. Digests come last, and small files come first. */
export function expectedText(files: Iterable<MadeFile>): string {
  const all = [...files];
  const lines = all.map(({ path: file, bytes, changedAt }) => `${bytes} ${changedAt} ./${file}\n`);
  let left = EXPECTED_DIGESTS_MAX_BYTES;
  for (const { path: file, bytes, sha256 } of all.toSorted((one, other) => one.bytes - other.bytes)) {
    if (sha256 !== undefined && (left -= bytes) >= 0) lines.push(`${sha256}  ./${file}\n`);
  }
  return lines.join("");
}

/** Limit on the bytes that a node reads before it starts a job. Many jobs may need the same files. */
const EXPECTED_DIGESTS_MAX_BYTES = 64 * 2 ** 20;

/**
 * Returns a file of a workspace that this machine does not see yet as it was made. A file that was changed later counts as
 * seen. `readFiles` remembers the files whose content was read and is right.
 */
export async function maybeLateFile(
  workspaceFolder: string,
  files: readonly MadeFile[],
  readFiles = new Set<string>(),
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
  return maybeStaleFile(workspaceFolder, files, readFiles);
}

/** Returns a file whose size and time are as they were made, and whose content is an older one. */
async function maybeStaleFile(
  workspaceFolder: string,
  files: readonly MadeFile[],
  readFiles: Set<string>,
): Promise<LateFile | undefined> {
  for (const made of files) {
    if (made.sha256 === undefined || readFiles.has(made.path)) continue;
    const file = path.join(workspaceFolder, made.path);
    const sha256 = await unlessAbsent(sha256Of(file));
    const seen = await unlessAbsent(lstat(file));
    const isUnchanged = seen && seen.isFile() && Math.floor(seen.mtimeMs / 1000) === made.changedAt;
    if (isUnchanged && sha256 !== undefined && sha256 !== made.sha256)
      return { path: made.path, seenBytes: seen.size, bytes: made.bytes };
    readFiles.add(made.path);
  }
  return undefined;
}

/** Returns undefined if a pipe or another special file is at the path. */
async function sha256Of(file: string): Promise<string | undefined> {
  const handle = await open(file, OPEN_FLAGS);
  try {
    if (!(await handle.stat()).isFile()) return undefined;
    const hash = createHash("sha256");
    for await (const chunk of handle.createReadStream({ autoClose: false })) hash.update(chunk as Buffer);
    return hash.digest("hex");
  } finally {
    await handle.close();
  }
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
