export interface DroppedFile {
  /** Path relative to the drop: `data/in.csv`. */
  readonly path: string;
  readonly file: File;
}

/** Returns the dropped files, and all files in dropped folders. */
export async function droppedFiles(transfer: DataTransfer): Promise<readonly DroppedFile[]> {
  const entries = [...transfer.items].flatMap((item) => item.webkitGetAsEntry() ?? []);
  return (await Promise.all(entries.map((entry) => filesIn(entry, "")))).flat();
}

/** Returns the files that were chosen, and empties the field: the same files can be chosen again after a mistake. */
export function chosenFiles(field: HTMLInputElement): readonly DroppedFile[] {
  const files = [...(field.files ?? [])].map((file) => ({
    path: file.webkitRelativePath || file.name,
    file,
  }));
  field.value = "";
  return files;
}

async function filesIn(entry: FileSystemEntry, folder: string): Promise<readonly DroppedFile[]> {
  const path = folder + entry.name;
  if (isFile(entry)) {
    const file = await new Promise<File>((resolve, reject) => entry.file(resolve, reject));
    return [{ path, file }];
  }
  if (!isFolder(entry)) return [];
  const reader = entry.createReader();
  const inside: FileSystemEntry[] = [];
  for (;;) {
    // A reader returns the entries of a large folder in parts.
    const part = await new Promise<FileSystemEntry[]>((resolve, reject) =>
      reader.readEntries(resolve, reject),
    );
    if (part.length === 0) break;
    inside.push(...part);
  }
  return (await Promise.all(inside.map((one) => filesIn(one, `${path}/`)))).flat();
}

function isFile(entry: FileSystemEntry): entry is FileSystemFileEntry {
  return entry.isFile;
}

function isFolder(entry: FileSystemEntry): entry is FileSystemDirectoryEntry {
  return entry.isDirectory;
}
