import path from "node:path";
import { contentOf, isSame } from "#backup/checked-file";
import { linesOf } from "#plumbing/files/lines";
import { backupPaths, type Content, damaged, type ListedFile, type Manifest } from "#backup/manifest";
import type { Table } from "#store/database/all-rows";

/** Reads the whole backup, and fails at the first difference from the manifest. */
export async function checkBackup(backup: string, manifest: Manifest): Promise<void> {
  await checkRows(backup, manifest);
  const { files } = backupPaths(backup);
  for await (const listed of listedFiles(backup, manifest)) {
    if (listed.kind === "file") await checkContent(backup, path.join(files, listed.path), listed);
  }
}

/** Checks the rows of all tables. */
export async function checkRows(backup: string, manifest: Manifest): Promise<void> {
  const { rows } = backupPaths(backup);
  for (const [table, content] of Object.entries(manifest.tables)) {
    await checkContent(backup, rows(table as Table), content);
  }
}

/** Yields the entries of the file list, after its checksum has been verified. */
export async function* listedFiles(backup: string, manifest: Manifest): AsyncGenerator<ListedFile> {
  const { list } = backupPaths(backup);
  await checkContent(backup, list, manifest.files);
  for await (const line of linesOf(list)) yield JSON.parse(line) as ListedFile;
}

async function checkContent(backup: string, file: string, expected: Content): Promise<void> {
  const name = path.relative(backup, file);
  const found = await contentOf(file).catch((error: unknown) => {
    throw damaged(backup, name, error);
  });
  if (!isSame(found, expected)) throw damaged(backup, name);
}
