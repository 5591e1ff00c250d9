import { toWireTime } from "#plumbing/clock";
import { codeOf, Refusal } from "#plumbing/errors";
import { humanSize } from "#plumbing/text/human-size";
import { FOLDERS_DEEP_MAX } from "#plumbing/files/relative-path";
import { maybeLstat } from "#workspace/safe-path";
import { linkTarget } from "#workspace/find/link-target";
import { lookAt } from "#workspace/find/look-at";
import { listed } from "#workspace/find/selection";
import { type Entry, type Gap, walk } from "#workspace/find/walk";

export interface FileEntry {
  /** Path relative to the workspace, with `/`. */
  readonly name: string;
  readonly bytes: number;
  readonly modifiedAtMs: number;
  readonly kind: Entry["kind"];
}

export interface ListRequest {
  /**
   * A file, a folder (with all its contents) or a glob (matching folders are listed too). Undefined for all
   * files.
   */
  readonly pattern?: string;
  readonly search?: FileSearch;
  readonly offset?: number;
  /** Undefined for all entries. */
  readonly limit?: number;
}

/** Substrings of the values on the wire, case-insensitive. All of them must match, as in REANA. */
export interface FileSearch {
  readonly name?: readonly string[];
  /** Whole sizes, in bytes or as people read them: `3` does not find `195.31 KiB`. */
  readonly size?: readonly string[];
  readonly "last-modified"?: readonly string[];
}

/** REANA's limit on the entries of a listing. */
const ENTRIES_MAX = 100_000;

/**
 * Lists files, sorted by name. Entries that a job has made unreadable are left out. Links are listed and not followed,
 * except on the way to the path that is requested.
 */
export async function listFiles(
  folder: string,
  request: ListRequest,
): Promise<{ files: FileEntry[]; total: number }> {
  const { start, includes } = listed(request.pattern);
  const isFound = searchFor(request.search ?? {});
  const files: FileEntry[] = [];
  for await (const batch of walkThrough(folder, start)) {
    const looked = await Promise.all(batch.filter(includes).map(look));
    for (const file of looked) if (file && isFound(file)) files.push(file);
    if (files.length > ENTRIES_MAX) throw tooMany();
  }
  files.sort(byName);
  const offset = request.offset ?? 0;
  const end = request.limit === undefined ? undefined : offset + request.limit;
  return { files: files.slice(offset, end), total: files.length };
}

/**
 * Walks from a path. If links in the workspace lead to it, the walk takes the place that they lead to, under the names of
 * the requested path: a declared output may be a link, or lie in a linked folder.
 */
async function* walkThrough(
  folder: string,
  start: string | undefined,
): AsyncGenerator<readonly Pick<Entry, "name" | "kind" | "at">[]> {
  const place = start === undefined ? undefined : await maybeLinkedPlace(folder, start);
  const walked = walk(folder, { start: place ?? start, onGap: refuseTooDeep });
  if (start === undefined || place === undefined) return yield* walked;
  for await (const batch of walked)
    yield batch.map(({ name, kind, at }) => ({ name: `${start}${name.slice(place.length)}`, kind, at }));
}

/** Returns the place that links lead a path to. Undefined if no link is on the way, or it leads nowhere or outside. */
async function maybeLinkedPlace(folder: string, start: string): Promise<string | undefined> {
  const there = await lookAt(folder, start);
  if (there.kind !== "link" && there.kind !== "absent") return undefined;
  const target = there.kind === "link" ? there.target : await linkTarget(folder, start);
  if (target === null || target === "" || target === start) return undefined;
  return (await lookAt(folder, target)).kind === "absent" ? undefined : target;
}

/** Returns undefined if the entry is gone or its folder is not searchable. */
async function look({ name, kind, at }: Pick<Entry, "name" | "kind" | "at">): Promise<FileEntry | undefined> {
  try {
    const stat = await maybeLstat(at);
    return stat && { name, bytes: stat.size, modifiedAtMs: Math.floor(stat.mtimeMs), kind };
  } catch (error) {
    if (codeOf(error) === "EACCES") return undefined;
    throw error;
  }
}

function byName(a: FileEntry, b: FileEntry): number {
  if (a.name === b.name) return 0;
  return a.name < b.name ? -1 : 1;
}

/** Refuses folders nested too deep. For walks that skip unreadable folders. */
export function refuseTooDeep(gap: Gap): void {
  if (gap.why === "too-deep") throw tooDeep(gap);
}

export function tooDeep({ name }: Gap): Refusal {
  const most = `the maximum is ${FOLDERS_DEEP_MAX}`;
  const sentence = `Too many nested directories (${most}): ${name.slice(0, 100)}…. List another directory.`;
  return new Refusal("malformed", sentence);
}

function tooMany(): Refusal {
  return new Refusal(
    "malformed",
    `Too many files to display (limit=${ENTRIES_MAX}). ` +
      "Please use more specific filters or download the files instead.",
  );
}

function searchFor(search: FileSearch): (file: FileEntry) => boolean {
  const name = lowerCased(search.name);
  const size = lowerCased(search.size);
  const modified = lowerCased(search["last-modified"]);
  return (file) =>
    hasAll(name, () => file.name) &&
    size.every((one) => one === String(file.bytes) || one === humanSize(file.bytes).toLowerCase()) &&
    hasAll(modified, () => toWireTime(file.modifiedAtMs));
}

function lowerCased(texts: readonly string[] = []): readonly string[] {
  return texts.map((text) => text.toLowerCase());
}

function hasAll(wanted: readonly string[], text: () => string): boolean {
  if (wanted.length === 0) return true;
  const whole = text().toLowerCase();
  return wanted.every((part) => whole.includes(part));
}
