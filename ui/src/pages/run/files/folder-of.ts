/** A folder or a file that lies directly in the shown folder. */
export interface Entry {
  readonly name: string;
  readonly path: string;
  readonly isFolder: boolean;
  readonly bytes: number;
  /** Time of the last change; of a folder, of its newest file. */
  readonly modified: string;
  readonly files: number;
}

export interface ListedFile {
  readonly name: string;
  readonly size: { readonly raw: number };
  readonly "last-modified": string;
}

export type FileOrder = "name" | "size" | "modified";

/** Returns what lies in a folder, folders first, with the size of all that is below each. */
export function entriesOf(files: readonly ListedFile[], folder: string, order: FileOrder): readonly Entry[] {
  const prefix = folder === "" ? "" : `${folder}/`;
  const entries = new Map<string, Entry>();
  for (const file of files) {
    if (!file.name.startsWith(prefix)) continue;
    const [name = "", ...below] = file.name.slice(prefix.length).split("/");
    const before = entries.get(name);
    const modified = file["last-modified"];
    entries.set(name, {
      name,
      path: prefix + name,
      isFolder: below.length > 0,
      bytes: (before?.bytes ?? 0) + Math.max(0, file.size.raw),
      modified: before && before.modified > modified ? before.modified : modified,
      files: (before?.files ?? 0) + 1,
    });
  }
  return [...entries.values()].toSorted(
    (one, other) => Number(other.isFolder) - Number(one.isFolder) || compare(one, other, order),
  );
}

function compare(one: Entry, other: Entry, order: FileOrder): number {
  if (order === "size") return other.bytes - one.bytes;
  if (order === "modified") return other.modified.localeCompare(one.modified);
  return one.name.localeCompare(other.name, undefined, { numeric: true });
}
