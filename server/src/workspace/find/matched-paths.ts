import { Refusal } from "#plumbing/errors";
import { hasMagic, parseGlob } from "#plumbing/text/glob";
import { refuseTooDeep } from "#workspace/find/list-files";
import { cleanPath } from "#workspace/safe-path";
import { type Entry, walk } from "#workspace/find/walk";

/** Most entries that are collected in memory. */
const ENTRIES_MAX = 100_000;

interface Meant {
  readonly name: string;
  readonly kind: Entry["kind"];
  /** True if the entry was named directly and not matched by a pattern: a file may really be called `a*b`. */
  readonly isNamed: boolean;
}

/**
 * Returns the entries to delete for a path or a pattern: the named entry or every match. The deepest come
 * first, so that folders come after their contents.
 */
export async function entriesMeant(folder: string, wanted: string): Promise<Meant[]> {
  return (await matched(folder, wanted)).toSorted((a, b) => depth(b) - depth(a));
}

function depth({ name }: Meant): number {
  return name.split("/").length;
}

/**
 * Returns the entries that a path or a pattern means for a move: the entry of that name, or every match. The contents
 * of a matching folder move with the folder and are not listed.
 */
export async function matchedPaths(folder: string, wanted: string): Promise<string[]> {
  const all = await matched(folder, wanted);
  const folders = new Set(all.filter(({ kind }) => kind === "folder").map(({ name }) => name));
  return all.map(({ name }) => name).filter((name) => !isBelow(name, folders));
}

async function matched(folder: string, wanted: string): Promise<Meant[]> {
  const clean = cleanPath(wanted);
  const glob = hasMagic(clean) ? parseGlob(clean) : undefined;
  const found: Meant[] = [];
  for await (const batch of walk(folder, { start: glob ? glob.start : clean, onGap: refuseTooDeep })) {
    for (const { name, kind } of batch) {
      const isNamed = name === clean;
      if (isNamed || glob?.matches(name)) found.push({ name, kind, isNamed });
      if (found.length > ENTRIES_MAX) throw tooMany(wanted);
    }
    if (!glob) break;
  }
  return found.sort((a, b) => (a.name < b.name ? -1 : 1));
}

function isBelow(name: string, folders: ReadonlySet<string>): boolean {
  for (let cut = name.lastIndexOf("/"); cut > 0; cut = name.lastIndexOf("/", cut - 1)) {
    if (folders.has(name.slice(0, cut))) return true;
  }
  return false;
}

function tooMany(wanted: string): Refusal {
  return new Refusal(
    "malformed",
    `More than ${ENTRIES_MAX} files match ${wanted.slice(0, 100)}. Name the folder that holds them, or a narrower pattern.`,
  );
}
