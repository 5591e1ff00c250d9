import { createReadStream } from "node:fs";
import { chmod, mkdir, realpath, symlink, utimes } from "node:fs/promises";
import path from "node:path";
import { isSame, writeChecked } from "#backup/checked-file";
import { listedFiles } from "#backup/check-backup";
import { backupPaths, damaged, type ListedFile, type Manifest } from "#backup/manifest";
import { codeOf } from "#plumbing/errors";
import { closing } from "#plumbing/files/open-folder";
import { isPlainPath } from "#plumbing/files/relative-path";
import { LeavingLink, walkInside } from "#plumbing/files/walk-inside";

type Listed<Kind extends ListedFile["kind"]> = Extract<ListedFile, { kind: Kind }>;

/**
 * Paths that a backup may contain. Any other path in the list would land outside the known parts of a data
 * folder.
 */
const PLACE = /^(secret\.key|admin-token|private-images|(uploads|jobs|workspaces)(\/.+)?)$/s;

/**
 * Restores all files of a backup. Links come after all files, so that no file is written through a link;
 * modes of folders, which may forbid writing, come last.
 */
export async function restoreFiles(source: string, manifest: Manifest, folder: string): Promise<void> {
  const links: Listed<"link">[] = [];
  const folders: Listed<"folder">[] = [];
  for await (const listed of listedFiles(source, manifest)) {
    if (!isPlace(listed)) throw damaged(source, "files.jsonl");
    if (listed.kind === "file") await restoreFile(source, listed, folder);
    else if (listed.kind === "folder") folders.push(listed);
    else links.push(listed);
  }
  for (const { path: place } of folders) await mkdir(path.join(folder, place), MADE);
  for (const link of links) await restoreLink(source, link, folder);
  // The deepest first: a change in a folder updates that folder's modification time.
  for (const listed of folders.toReversed()) await setAttributes(path.join(folder, listed.path), listed);
}

const MADE = { recursive: true, mode: 0o700 } as const;

/**
 * Returns whether a backup may contain the entry. The known parts of a data folder themselves are not links.
 */
function isPlace({ path: place, kind }: ListedFile): boolean {
  return PLACE.test(place) && isPlainPath(place) && (kind !== "link" || place.includes("/"));
}

/**
 * Restores a link. Refuses a list with a link below another link, or with the same link twice: no backup is
 * written like that.
 */
async function restoreLink(
  source: string,
  { path: place, target }: Listed<"link">,
  folder: string,
): Promise<void> {
  try {
    const found = await walkInside(folder, place, { makesFolders: true });
    await closing(found.parent, async () => {
      if (found.path !== path.join(await realpath(folder), place)) throw damaged(source, "files.jsonl");
      await symlink(target, found.parent.at(found.name));
    });
  } catch (error) {
    if (
      error instanceof LeavingLink ||
      ["EEXIST", "ENOTDIR", "ENOENT", "ELOOP"].includes(codeOf(error) ?? "")
    )
      throw damaged(source, "files.jsonl", error);
    throw error;
  }
}

async function restoreFile(source: string, listed: Listed<"file">, folder: string): Promise<void> {
  const from = path.join(backupPaths(source).files, listed.path);
  const to = path.join(folder, listed.path);
  await mkdir(path.dirname(to), MADE);
  const parts = createReadStream(from, { highWaterMark: 1 << 20 }) as AsyncIterable<Buffer>;
  const written = await writeChecked(to, parts).catch((error: unknown) => {
    throw (error as NodeJS.ErrnoException).path === from
      ? damaged(source, path.join("files", listed.path))
      : error;
  });
  if (!isSame(written, listed)) throw damaged(source, path.join("files", listed.path));
  await setAttributes(to, listed);
}

/** Sets mode and modification time. A time of 0 leaves the modification time alone. */
async function setAttributes(
  file: string,
  { mode, mtime }: { readonly mode: number; readonly mtime: number },
): Promise<void> {
  await chmod(file, mode);
  if (mtime > 0) await utimes(file, mtime / 1000, mtime / 1000);
}
