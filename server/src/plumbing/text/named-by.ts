import { fitsPattern, hasMagic, parseGlob } from "#plumbing/text/glob";
import { plainPath } from "#plumbing/files/relative-path";

/** Returns a predicate for files named directly, by a parent folder, or by a pattern. */
export function namedBy(names: readonly string[]): (path: string) => boolean {
  const plain = new Set(names.filter((name) => !isPattern(name)).map(plainPath));
  const globs = names.filter(isPattern).map((name) => parseGlob(name));
  // An empty name is the workspace itself.
  if (plain.has("")) return () => true;
  return (path) => isBelow(path, plain) || globs.some((glob) => glob.covers(path));
}

/** Returns whether the name is a pattern. An overlong pattern counts as a plain name and matches no file. */
function isPattern(name: string): boolean {
  return hasMagic(name) && fitsPattern(name);
}

/** Returns whether a path is in `names` or lies below a path in `names`. */
export function isBelow(path: string, names: ReadonlySet<string>): boolean {
  if (names.has(path)) return true;
  for (let cut = path.lastIndexOf("/"); cut > 0; cut = path.lastIndexOf("/", cut - 1)) {
    if (names.has(path.slice(0, cut))) return true;
  }
  return false;
}
