import { lstat, mkdir, readlink } from "node:fs/promises";
import path from "node:path";
import { type CheckedFile, createCheckedFile, partsOf, writeChecked } from "#backup/checked-file";
import { backupPaths, type Content, type ListedFile } from "#backup/manifest";
import { codeOf, Refusal } from "#plumbing/errors";
import { openAt } from "#workspace/read/open-file";
import { isNotPermitted } from "#workspace/safe-path";
import { type Entry, walk } from "#workspace/find/walk";

/**
 * Copies files of the data folder into a backup, and lists the files. Files that vanish during the copy are
 * left out; a file that is being written is copied in its current state. Links appear only in the list, so
 * that no link leads out of the backup.
 */
export interface FileCopier {
  /** Copies a tree to a place in the backup, with the modes and modification times of its files and folders. */
  copyTree(place: string, from: string): Promise<void>;
  /** Copies a file, if the file exists. */
  copyFile(place: string, from: string): Promise<void>;
  writeFile(place: string, content: string): Promise<void>;
  /** Notes a path that could not be read. */
  leaveOut(place: string): void;
  readonly count: number;
  /** Unreadable paths. */
  readonly leftOut: readonly string[];
  close(): Promise<Content>;
  abandon(): Promise<void>;
}

/** Files copied at the same time. Each copy waits for the disk, and concurrent copies share the wait. */
const AT_ONCE = 16;
/** The replacement character: a name that is not UTF-8 cannot be represented in the list. */
const REPLACED = "\uFFFD";

export async function openFileCopier(backup: string): Promise<FileCopier> {
  const copier = new Copier(backup, await createCheckedFile(backupPaths(backup).list));
  await mkdir(copier.files, { mode: 0o700 });
  return copier;
}

class Copier implements FileCopier {
  readonly files: string;
  readonly leftOut: string[] = [];
  count = 0;
  readonly #list: CheckedFile;
  readonly #made = new Set<string>();

  constructor(backup: string, list: CheckedFile) {
    this.#list = list;
    this.files = backupPaths(backup).files;
  }

  async copyTree(place: string, from: string): Promise<void> {
    if (!(await this.#listFolder(place, from))) return;
    const onGap = ({ name }: { readonly name: string }) => void this.leftOut.push(`${place}/${name}`);
    for await (const batch of walk(from, { onGap })) {
      for (let at = 0; at < batch.length; at += AT_ONCE) {
        await Promise.all(batch.slice(at, at + AT_ONCE).map((entry) => this.#copyEntry(place, entry)));
      }
    }
  }

  async copyFile(place: string, from: string): Promise<void> {
    await this.#copyOpened(place, from);
  }

  async writeFile(place: string, content: string): Promise<void> {
    const written = await writeChecked(await this.#place(place), [content]);
    await this.#add({ path: place, kind: "file", mode: 0o600, mtime: 0, ...written });
  }

  leaveOut(place: string): void {
    this.leftOut.push(place);
  }

  close(): Promise<Content> {
    return this.#list.close();
  }

  abandon(): Promise<void> {
    return this.#list.abandon();
  }

  async #copyEntry(below: string, { name, kind, at }: Entry): Promise<void> {
    const place = `${below}/${name}`;
    if (name.includes(REPLACED)) return void this.leftOut.push(place);
    if (kind === "file") return this.#copyOpened(place, at);
    if (kind === "folder") return void (await this.#listFolder(place, at));
    const target = await unlessGone(() => readlink(at));
    if (target !== undefined) await this.#add({ path: place, kind: "link", target });
  }

  /** Adds a folder to the list. Returns whether the folder exists. */
  async #listFolder(place: string, at: Entry["at"]): Promise<boolean> {
    const stat = await unlessGone(() => lstat(at));
    if (!stat?.isDirectory()) return false;
    await this.#add({ path: place, kind: "folder", mode: stat.mode & 0o777, mtime: stat.mtimeMs });
    return true;
  }

  async #copyOpened(place: string, at: Entry["at"]): Promise<void> {
    const opened = await openAt(at, place).catch((error: unknown) => {
      // A refusal means that the file has been replaced with a link: the file is gone.
      if (error instanceof Refusal) return undefined;
      if (!isNotPermitted(error)) throw error;
      this.leftOut.push(place);
      return undefined;
    });
    if (opened?.kind !== "file") return;
    const { file } = opened;
    try {
      const content = await writeChecked(await this.#place(place), partsOf(file));
      await this.#add({ path: place, kind: "file", mode: file.mode, mtime: file.modifiedAtMs, ...content });
    } finally {
      await file.close();
    }
  }

  /** Returns the place in the backup, after making its folder. */
  async #place(place: string): Promise<string> {
    const target = path.join(this.files, place);
    const folder = path.dirname(target);
    if (!this.#made.has(folder)) await mkdir(folder, { recursive: true, mode: 0o700 });
    this.#made.add(folder);
    return target;
  }

  async #add(listed: ListedFile): Promise<void> {
    this.count += 1;
    await this.#list.write(`${JSON.stringify(listed)}\n`);
  }
}

async function unlessGone<Result>(ask: () => Promise<Result>): Promise<Result | undefined> {
  try {
    return await ask();
  } catch (error) {
    if (["ENOENT", "EINVAL"].includes(codeOf(error) ?? "")) return undefined;
    throw error;
  }
}
