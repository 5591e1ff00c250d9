import path from "node:path";
import { Refusal } from "#plumbing/errors";
import { mayExecute } from "#plumbing/files/file-mode";
import type { FileRecord } from "#plumbing/files/file-records";
import { openAt } from "#workspace/read/open-file";
import {
  cleanPath,
  closing,
  closingAfter,
  type Folder,
  InTheWay,
  isNotPermitted,
  maybeOpenRoot,
  walkToParent,
} from "#workspace/safe-path";

/** Files that are read ahead of the consumer, each in memory. */
const AHEAD = 4;

/**
 * Reads the contents of small files, in the order of their names. A file is left out if it is missing, not a regular
 * file, not readable, or longer than `maxBytes`. Consecutive files of one folder are read through the same open folder:
 * the path to it costs more than a small file.
 */
export async function* readMany(
  workspace: string,
  names: readonly string[],
  maxBytes: number,
): AsyncGenerator<FileRecord> {
  for (const { folderName, wanted } of byFolder(names)) {
    const folder = await maybeFolder(workspace, folderName);
    if (folder) yield* closingAfter(folder, contentsIn(folder, wanted, maxBytes));
  }
}

interface Wanted {
  /** The name as requested. */
  readonly name: string;
  readonly clean: string;
}

function byFolder(names: readonly string[]): { folderName: string; wanted: Wanted[] }[] {
  const groups: { folderName: string; wanted: Wanted[] }[] = [];
  for (const name of names) {
    const clean = cleanPath(name);
    const folderName = path.posix.dirname(clean);
    const last = groups.at(-1);
    if (last?.folderName === folderName) last.wanted.push({ name, clean });
    else groups.push({ folderName, wanted: [{ name, clean }] });
  }
  return groups;
}

async function maybeFolder(workspace: string, folderName: string): Promise<Folder | undefined> {
  try {
    const root = await maybeOpenRoot(workspace);
    return root && (await walkToParent(root, path.posix.join(folderName, "-"))).parent;
  } catch (error) {
    if (error instanceof InTheWay || isNotPermitted(error)) return undefined;
    throw error;
  }
}

async function* contentsIn(
  folder: Folder,
  wanted: readonly Wanted[],
  maxBytes: number,
): AsyncGenerator<FileRecord> {
  const reading: Promise<FileRecord | undefined>[] = [];
  try {
    for (const file of wanted) {
      reading.push(maybeRead(folder, file, maxBytes));
      if (reading.length < AHEAD) continue;
      const record = await reading.shift();
      if (record) yield record;
    }
    for (let next = reading.shift(); next; next = reading.shift()) {
      const record = await next;
      if (record) yield record;
    }
  } finally {
    // If the consumer stops early, wait for the reads that still use the folder.
    await Promise.allSettled(reading);
  }
}

/** Reads one file up to its initial size. Bytes appended by a job during the read are left out. */
async function maybeRead(
  folder: Folder,
  { name, clean }: Wanted,
  maxBytes: number,
): Promise<FileRecord | undefined> {
  const opened = await maybeOpenAt(folder, clean);
  if (opened?.kind !== "file") return undefined;
  const { file } = opened;
  return closing(file, async () => {
    if (file.bytes > maxBytes) return undefined;
    const content = Buffer.allocUnsafeSlow(file.bytes);
    const length = file.bytes === 0 ? 0 : await file.read(content, 0);
    return { name, content: content.subarray(0, length), isExecutable: mayExecute(file.mode) };
  });
}

async function maybeOpenAt(folder: Folder, clean: string) {
  try {
    return await openAt(folder.at(path.posix.basename(clean)), clean);
  } catch (error) {
    // A refusal means that the file is a link.
    if (error instanceof Refusal || isNotPermitted(error)) return undefined;
    throw error;
  }
}
