import { Refusal } from "#plumbing/errors";
import { printable } from "#plumbing/text/printable";
import type { StageEntry } from "#workflow/job/stage";
import { cleanPath } from "#workspace/safe-path";

/** Entries put in place by one rename: a folder with its staged contents, or a single entry. */
export interface StagedTree {
  /** Clean path in the workspace. */
  readonly at: string;
  /** Folders come before their contents. `below` is the path inside the tree, `""` for its top. */
  readonly entries: readonly { readonly below: string; readonly entry: StageEntry }[];
}

/**
 * Groups the entries of a job. Refuses two entries for one place, and an entry inside another entry that is
 * not made as a folder.
 */
export function planStaging(entries: readonly StageEntry[]): readonly StagedTree[] {
  const byPlace = new Map<string, StageEntry>();
  for (const entry of entries) {
    const at = cleanPath(entry.at);
    if (byPlace.has(at))
      throw new Refusal("malformed", `Two files of the job are to be staged at ${printablePath(at)}.`);
    byPlace.set(at, entry);
  }
  const trees = new Map<string, { at: string; entries: { below: string; entry: StageEntry }[] }>();
  // Sorting by path puts a folder before its contents.
  for (const [at, entry] of [...byPlace].toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    const top = topOf(at, byPlace);
    const tree = trees.get(top) ?? { at: top, entries: [] };
    trees.set(top, tree);
    tree.entries.push({ below: at.slice(top.length + 1), entry });
  }
  return [...trees.values()];
}

/** Returns the outermost staged folder that the place lies in, else the place itself. */
function topOf(at: string, byPlace: ReadonlyMap<string, StageEntry>): string {
  let top = at;
  for (let end = at.lastIndexOf("/"); end !== -1; end = at.lastIndexOf("/", end - 1)) {
    const above = at.slice(0, end);
    const entry = byPlace.get(above);
    if (!entry) continue;
    if (!("folder" in entry))
      throw new Refusal(
        "malformed",
        `${printablePath(at)} cannot be staged inside ${printablePath(above)}, which is not made as a folder.`,
      );
    top = above;
  }
  return top;
}

export function printablePath(at: string): string {
  return printable(at, 200);
}
