import type { FileValue } from "#engines/cwl/values/files";

interface Entry {
  readonly path: string;
  readonly kind: "file" | "folder" | "link";
  readonly bytes: number;
  readonly target?: string | null;
}

/** Limit on links to folders inside folders that links lead to: they may lead back to where they stand. */
const LINKS_MAX = 3;

/** Makes the listing of a folder from the entries below it. */
export function treeOf(folder: string, entries: readonly Entry[], deep: boolean, links = 0): FileValue[] {
  const children = entries.filter(
    ({ path }) => path.startsWith(`${folder}/`) && !path.slice(folder.length + 1).includes("/"),
  );
  return children.flatMap((entry): FileValue[] => {
    if (entry.kind === "link" && !entry.target) return [];
    const basename = entry.path.slice(folder.length + 1);
    const location = entry.kind === "link" ? entry.target! : entry.path;
    const base = { location, basename };
    const inside = links + (entry.kind === "link" ? 1 : 0);
    if (inside <= LINKS_MAX && isFolder(entry, entries))
      return [
        { class: "Directory", ...base, ...(deep && { listing: treeOf(location, entries, deep, inside) }) },
      ];
    return [{ class: "File", ...base, ...(entry.kind === "file" && { size: entry.bytes }) }];
  });
}

/** Returns whether an entry is a folder, or a link to one of the listed folders. */
function isFolder({ kind, target }: Entry, entries: readonly Entry[]): boolean {
  if (kind !== "link") return kind === "folder";
  return entries.some((one) => one.path === target && one.kind === "folder");
}
