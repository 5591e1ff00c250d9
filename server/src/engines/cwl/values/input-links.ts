import type { FactBook } from "#engines/cwl/values/facts";
import { Listed, LINKS_MAX, NOTHING, type Reached } from "#engines/cwl/values/listing";
import type { ListedEntry } from "#engines/engine";

interface Seeing {
  readonly facts: FactBook;
  /** True if linked folders are also listed. */
  readonly deep: boolean;
}

/**
 * Follows a link in an input folder. Returns undefined if the link leads out of the files of the run, or if facts are
 * missing. A dangling link counts as a file.
 */
export function followInInput(link: ListedEntry, listed: Listed, seeing: Seeing): Reached | undefined {
  let { target } = link;
  for (let links = 0; target && links < LINKS_MAX; links += 1) {
    const known = listed.entry(target);
    const seen = known && known.kind !== "link" ? known : seeing.facts.look(target);
    if (!seen) return undefined;
    if (seen.kind === "folder") return reachedFolder(target, known && listed, seeing);
    if (seen.kind !== "link") return { kind: "file", path: target, listed };
    target = seen.target;
  }
  return undefined;
}

/** Returns a folder with its listing: the surrounding listing, or a listing of the folder. */
function reachedFolder(
  path: string,
  around: Listed | undefined,
  { facts, deep }: Seeing,
): Reached | undefined {
  if (around || !deep) return { kind: "folder", path, listed: around ?? NOTHING };
  const list = facts.listBehindLink(path);
  return list && { kind: "folder", path, listed: Listed.of(list) };
}

/** Returns whether a link leads to one of its own parent folders, including the workspace (`""`). */
export function leadsAround({ path, target }: ListedEntry): boolean {
  return target === "" || path.startsWith(`${target}/`);
}
