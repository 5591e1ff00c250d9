import { lstat, readdir } from "node:fs/promises";
import { toWireTime } from "#plumbing/clock";
import { codeOf, Refusal } from "#plumbing/errors";
import { humanSize } from "#plumbing/human-size";
import { globMatcher, hasMagic } from "#workspace/glob";
import { cleanPath, enter, type Folder, InTheWay, maybeOpenRoot } from "#workspace/safe-path";

export interface FileEntry {
  /** Relative to the workspace, with `/`. */
  readonly name: string;
  readonly bytes: number;
  readonly modifiedAtMs: number;
  readonly kind: "file" | "link" | "folder";
}

export interface ListRequest {
  /** A file, a folder (everything below it) or a glob (folders that match are listed too). Absent: everything. */
  readonly pattern?: string;
  readonly search?: FileSearch;
  readonly offset?: number;
  /** Absent: all. */
  readonly limit?: number;
}

/** Parts of what the wire shows, in any case of letters. All keys must match, of each one text is enough. */
export interface FileSearch {
  readonly name?: readonly string[];
  readonly size?: readonly string[];
  readonly "last-modified"?: readonly string[];
}

/** REANA's cap. */
const ENTRIES_MAX = 100_000;
const DEPTH_MAX = 200;
/** How many files are asked about at once. */
const AT_ONCE = 32;

export async function listFiles(folder: string, request: ListRequest): Promise<{ files: FileEntry[]; total: number }> {
  const matches = matcher(request);
  const files = (await allEntries(folder)).filter(matches);
  files.sort((a, b) => (a.name < b.name ? -1 : 1));
  const offset = request.offset ?? 0;
  const end = request.limit === undefined ? undefined : offset + request.limit;
  return { files: files.slice(offset, end), total: files.length };
}

/** Everything in a workspace; links are listed and never followed. Empty when the folder was never made. */
export async function allEntries(folder: string): Promise<FileEntry[]> {
  const root = await maybeOpenRoot(folder);
  if (!root) return [];
  const found: FileEntry[] = [];
  await collect(root, "", 0, found).finally(() => root.close());
  return found;
}

async function collect(folder: Folder, prefix: string, depth: number, found: FileEntry[]): Promise<void> {
  if (depth > DEPTH_MAX) {
    throw new Refusal("malformed", `The workspace is nested deeper than ${DEPTH_MAX} directories at ${prefix.slice(0, 100)}….`);
  }
  const entries = await readdir(folder.itself, { withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile() || entry.isSymbolicLink());
  for (let at = 0; at < files.length; at += AT_ONCE) {
    const some = files.slice(at, at + AT_ONCE);
    const looked = await Promise.all(some.map((entry) => look(folder, entry.name, prefix)));
    found.push(...looked.filter((entry) => entry !== undefined));
    refuseTooMany(found);
  }
  for (const entry of entries.filter((one) => one.isDirectory())) {
    const inner = await look(folder, entry.name, prefix);
    if (!inner) continue;
    found.push(inner);
    await collectInner(folder, entry.name, prefix, depth, found);
  }
}

/** What vanishes or changes into something else while we look is left out. */
async function collectInner(folder: Folder, name: string, prefix: string, depth: number, found: FileEntry[]) {
  let inner: Folder;
  try {
    inner = await enter(folder, name);
  } catch (error) {
    if (error instanceof InTheWay || codeOf(error) === "EACCES") return;
    throw error;
  }
  await collect(inner, `${prefix}${name}/`, depth + 1, found).finally(() => inner.close());
}

async function look(folder: Folder, name: string, prefix: string): Promise<FileEntry | undefined> {
  try {
    const stat = await lstat(folder.at(name));
    const kind = stat.isSymbolicLink() ? "link" : stat.isDirectory() ? "folder" : "file";
    return { name: prefix + name, bytes: stat.size, modifiedAtMs: Math.floor(stat.mtimeMs), kind };
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw error;
  }
}

function refuseTooMany(found: readonly FileEntry[]): void {
  if (found.length <= ENTRIES_MAX) return;
  throw new Refusal(
    "malformed",
    `Too many files to display (limit=${ENTRIES_MAX}). Please use more specific filters, ` +
      "or download the files as an archive.",
  );
}

function matcher({ pattern, search = {} }: ListRequest): (entry: FileEntry) => boolean {
  const byPattern = patternMatcher(pattern);
  const name = searchMatcher(search.name);
  const size = searchMatcher(search.size);
  const modified = searchMatcher(search["last-modified"]);
  return (entry) =>
    byPattern(entry) &&
    name(entry.name) &&
    size(`${entry.bytes} ${humanSize(entry.bytes)}`) &&
    modified(toWireTime(entry.modifiedAtMs));
}

export function patternMatcher(pattern: string | undefined): (entry: FileEntry) => boolean {
  if (pattern === undefined || pattern.replaceAll("/", "") === "") return (entry) => entry.kind !== "folder";
  const clean = cleanPath(pattern);
  const isBelow = (entry: FileEntry) =>
    entry.kind !== "folder" && (entry.name === clean || entry.name.startsWith(`${clean}/`));
  if (!hasMagic(clean)) return isBelow;
  const matches = globMatcher(clean);
  // A file may really be called `a*b`.
  return (entry) => matches(entry.name) || isBelow(entry);
}

function searchMatcher(wanted: readonly string[] | undefined): (text: string) => boolean {
  if (wanted === undefined || wanted.length === 0) return () => true;
  const parts = wanted.map((part) => part.toLowerCase());
  return (text) => parts.some((part) => text.toLowerCase().includes(part));
}
