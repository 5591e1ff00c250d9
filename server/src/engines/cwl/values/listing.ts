import type { FileValue } from "#engines/cwl/values/files";

interface Entry {
  readonly path: string;
  readonly kind: "file" | "folder" | "link";
  readonly bytes: number;
  readonly target?: string | null;
}

/** Makes the listing of a folder from the entries below it. */
export function treeOf(folder: string, entries: readonly Entry[], deep: boolean): FileValue[] {
  const children = entries.filter(
    ({ path }) => path.startsWith(`${folder}/`) && !path.slice(folder.length + 1).includes("/"),
  );
  return children.flatMap((entry): FileValue[] => {
    const base = { location: entry.path, basename: entry.path.slice(folder.length + 1) };
    if (entry.kind === "folder")
      return [{ class: "Directory", ...base, ...(deep && { listing: treeOf(entry.path, entries, deep) }) }];
    if (entry.kind === "link" && !entry.target) return [];
    const location = entry.kind === "link" ? entry.target! : base.location;
    return [{ class: "File", ...base, location, ...(entry.kind === "file" && { size: entry.bytes }) }];
  });
}
