import { mkdir, rename, rm } from "node:fs/promises";
import path from "node:path";
import type { Readable } from "node:stream";
import { codeOf, Refusal } from "#plumbing/errors";
import type { Random } from "#plumbing/ids";
import { zipStream } from "#workspace/archive";
import { hasMagic } from "#workspace/glob";
import { allEntries, type FileEntry, listFiles, type ListRequest, patternMatcher } from "#workspace/list-files";
import { maybeOpen, type OpenFile } from "#workspace/open-file";
import { clearIncoming, writeFile } from "#workspace/write-file";

/** The files of all runs: a folder each, made when the first file comes or the run begins. */
export interface Workspaces {
  /** Where the folders of all runs lie. */
  readonly root: string;
  /** The absolute folder of a run's files, whether it is there yet or not. */
  folder(workspaceId: string): string;
  /** Safe twice. */
  create(workspaceId: string): Promise<void>;
  /** At once out of sight, then deleted; also what an earlier removal left. Safe twice. */
  remove(workspaceId: string): Promise<void>;
  /** Whole or absent; an existing file is replaced. */
  write(
    workspaceId: string,
    name: string,
    content: AsyncIterable<Uint8Array>,
  ): Promise<{ readonly path: string; readonly bytes: number }>;
  list(workspaceId: string, request: ListRequest): Promise<{ readonly files: FileEntry[]; readonly total: number }>;
  /** The sum of all files' sizes. */
  usedBytes(workspaceId: string): Promise<number>;
  /** One file, or an archive of what a folder holds or a glob matches. */
  find(workspaceId: string, pattern: string): Promise<Found>;
  /** Forgets what a server that died was still receiving. */
  clearIncoming(): Promise<void>;
}

export type Found =
  | { readonly kind: "file"; readonly file: OpenFile }
  | { readonly kind: "archive"; stream(): Readable };

interface WorkspacesOptions {
  readonly folder: string;
  /** On the same file system. */
  readonly incomingFolder: string;
  readonly fsync: boolean;
  readonly random: Random;
}

export function openWorkspaces(options: WorkspacesOptions): Workspaces {
  const folder = (workspaceId: string) => path.join(options.folder, workspaceId);
  return {
    root: options.folder,
    folder,
    create: async (workspaceId) => void (await mkdir(folder(workspaceId), { recursive: true, mode: 0o700 })),
    remove: (workspaceId) => removeFolder(options, workspaceId),
    async write(workspaceId, name, content) {
      await mkdir(folder(workspaceId), { recursive: true, mode: 0o700 });
      return writeFile({ ...options, folder: folder(workspaceId) }, name, content);
    },
    list: (workspaceId, request) => listFiles(folder(workspaceId), request),
    async usedBytes(workspaceId) {
      const entries = await allEntries(folder(workspaceId));
      return entries.reduce((sum, entry) => sum + (entry.kind === "file" ? entry.bytes : 0), 0);
    },
    find: (workspaceId, pattern) => find(folder(workspaceId), pattern),
    clearIncoming: () => clearIncoming(options.incomingFolder),
  };
}

/** Renamed first, so that nobody sees a part: a name that begins with a dot is no workspace's. */
async function removeFolder(options: WorkspacesOptions, workspaceId: string): Promise<void> {
  const removed = path.join(options.folder, `.removed-${workspaceId}`);
  await rm(removed, { recursive: true, force: true });
  try {
    await rename(path.join(options.folder, workspaceId), removed);
  } catch (error) {
    if (codeOf(error) === "ENOENT") return;
    throw error;
  }
  await rm(removed, { recursive: true, force: true });
}

async function find(folder: string, pattern: string): Promise<Found> {
  const opened = await maybeOpen(folder, pattern);
  if (opened?.kind === "file") return opened;
  if (!opened && !hasMagic(pattern)) throw absent(pattern);
  const names = await filesMatching(folder, pattern);
  const [only] = names;
  if (only === undefined) throw absent(pattern);
  if (!opened && names.length === 1) {
    const one = await maybeOpen(folder, only);
    if (one?.kind === "file") return one;
  }
  return { kind: "archive", stream: () => zipStream(folder, names) };
}

/** Files that match, and those inside of folders that match. */
async function filesMatching(folder: string, pattern: string): Promise<string[]> {
  const entries = await allEntries(folder);
  const matches = patternMatcher(pattern);
  const folders = new Set(entries.filter((entry) => entry.kind === "folder" && matches(entry)).map((entry) => entry.name));
  const isInside = (name: string): boolean => {
    for (let at = name.indexOf("/"); at !== -1; at = name.indexOf("/", at + 1)) {
      if (folders.has(name.slice(0, at))) return true;
    }
    return false;
  };
  return entries
    .filter((entry) => entry.kind === "file" && (matches(entry) || isInside(entry.name)))
    .map((entry) => entry.name)
    .sort();
}

function absent(name: string): Refusal {
  return new Refusal("absent", `${name} does not exist.`);
}
