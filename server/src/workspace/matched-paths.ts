import { Refusal } from "#plumbing/errors";
import { hasMagic, parseGlob } from "#plumbing/glob";
import { refuseTooDeep } from "#workspace/list-files";
import { cleanPath } from "#workspace/safe-path";
import { walk } from "#workspace/walk";

/** So many paths are looked after at once; a folder counts for one, whatever is in it. */
const PATHS_MAX = 100_000;

/**
 * What a path or a pattern means to one who deletes or moves: itself, or all that match, files and folders and links.
 * What lies in a folder that matches is meant with it and not named again.
 */
export async function matchedPaths(folder: string, wanted: string): Promise<string[]> {
  const clean = cleanPath(wanted);
  const glob = hasMagic(clean) ? parseGlob(clean) : undefined;
  const found: string[] = [];
  const folders = new Set<string>();
  for await (const batch of walk(folder, { start: glob ? glob.start : clean, onGap: refuseTooDeep })) {
    for (const { name, kind } of batch) {
      const isMeant = name === clean || (glob?.matches(name) ?? false);
      if (!isMeant || isBelow(name, folders)) continue;
      found.push(name);
      if (kind === "folder") folders.add(name);
      if (found.length > PATHS_MAX) throw tooMany(wanted);
    }
    if (!glob) break;
  }
  return found.sort();
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
    `More than ${PATHS_MAX} files match ${wanted.slice(0, 100)}. Name the folder that holds them, or a narrower pattern.`,
  );
}
