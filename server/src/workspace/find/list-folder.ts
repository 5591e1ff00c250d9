import type { ReadableRoot } from "#workspace/find/readable-place";
import { Refusal } from "#plumbing/errors";
import type { FileEntry } from "#workspace/find/list-files";
import { linkTarget } from "#workspace/find/link-target";
import { cleanPath, maybeLstat } from "#workspace/safe-path";
import { type Entry, walk } from "#workspace/find/walk";

/**
 * A listing that a run requests of its own files while it is running. It is limited in every direction and never
 * follows a link. A missing or forbidden file is a refusal with a sentence.
 */
export interface FolderRequest {
  /** Path of the folder; `""` is the workspace itself. */
  readonly name: string;
  readonly isDeep: boolean;
  readonly maxEntries: number;
  /** Returns entries after this path, the last path of the previous page. */
  readonly after?: string | undefined;
  /** Folders outside the workspace to which links may lead. */
  readonly readableRoots?: readonly ReadableRoot[];
}

export interface FolderEntry extends Omit<FileEntry, "modifiedAtMs"> {
  /** The path of a link's target in the workspace; null if the target is outside. */
  readonly target?: string | null;
}

export interface FolderListing {
  /** The first entries in the order of their paths. */
  readonly entries: readonly FolderEntry[];
  /** True if more entries follow. */
  readonly isCut: boolean;
  /** True if a folder could not be read. */
  readonly hasGap: boolean;
}

export async function listFolder(
  folder: string,
  request: FolderRequest,
  signal: AbortSignal,
): Promise<FolderListing> {
  const { after = "", maxEntries } = request;
  const start = request.name === "" ? undefined : cleanPath(request.name);
  const prefix = start === undefined ? "" : `${start}/`;
  const first = new FirstEntries(maxEntries);
  let isThere = start === undefined;
  let hasGap = false;
  for await (const batch of walk(folder, { start, onGap: () => (hasGap = true) })) {
    signal.throwIfAborted();
    isThere ||= isFolder(batch[0], start);
    const inside = batch.filter(({ name }) => name.startsWith(prefix) && name !== start);
    // The walk returns the entries of a folder before the entries of its subfolders.
    const goesDeeper = inside.some(({ name }) => name.slice(prefix.length).includes("/"));
    if (goesDeeper && !request.isDeep) break;
    const wanted = inside.filter(({ name }) => name > after && first.isWanted(name));
    for (const entry of await Promise.all(wanted.map(look))) if (entry) first.add(entry);
  }
  if (!isThere) throw absent(request.name);
  const { entries, isCut } = first.result();
  return { entries: await withTargets(folder, entries, request.readableRoots ?? []), isCut, hasGap };
}

/** Keeps the first entries in the order of their paths, and not many more. */
class FirstEntries {
  readonly #max: number;
  #kept: FolderEntry[] = [];
  #isCut = false;
  /** The greatest path among the first `max` entries. Later paths are skipped. */
  #last: string | undefined;

  constructor(max: number) {
    this.#max = max;
  }

  isWanted(name: string): boolean {
    return this.#last === undefined || name < this.#last;
  }

  add(entry: FolderEntry): void {
    this.#kept.push(entry);
    if (this.#kept.length > 2 * this.#max) this.#drop();
  }

  result() {
    this.#drop();
    return { entries: this.#kept, isCut: this.#isCut };
  }

  #drop(): void {
    this.#kept.sort((one, other) => (one.name < other.name ? -1 : 1));
    if (this.#kept.length <= this.#max) return;
    this.#isCut = true;
    this.#kept = this.#kept.slice(0, this.#max);
    this.#last = this.#kept.at(-1)?.name;
  }
}

/** Returns whether the entry is a folder and the start of the walk, which is always listed first. */
function isFolder(entry: Entry | undefined, start: string | undefined): boolean {
  return entry?.name === start && entry?.kind === "folder";
}

async function look({ name, kind, at }: Entry): Promise<FolderEntry | undefined> {
  const stat = await maybeLstat(at);
  return stat && { name, kind, bytes: stat.size };
}

async function withTargets(
  folder: string,
  entries: readonly FolderEntry[],
  readableRoots: readonly ReadableRoot[],
): Promise<FolderEntry[]> {
  const found: FolderEntry[] = [];
  for (const entry of entries)
    found.push(
      entry.kind === "link"
        ? { ...entry, target: await linkTarget(folder, entry.name, readableRoots) }
        : entry,
    );
  return found;
}

export function absent(name: string): Refusal {
  return new Refusal("absent", `${name === "" ? "The workspace" : name} does not exist.`);
}
