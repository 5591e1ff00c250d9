import path from "node:path";
import { leadsUp } from "#plumbing/files/relative-path";
import type { InputStamp } from "#workflow/file-stamps";
import type { Algorithm } from "#workflow/job";
import { openFileOrRefuse, readBeginning } from "#workspace/read/ask-files";
import { type Digested, digestFile } from "#workspace/read/digest-file";
import type { FileThreads } from "#workspace/threads/file-threads";
import { type FolderListing, type FolderRequest, listFolder } from "#workspace/find/list-folder";
import { lookAt, type Sight } from "#workspace/find/look-at";
import { type Published, publishOutput, type PublishRequest } from "#workspace/write/publish-output";
import { maybeInputStamps, maybeStamps, type WorkspaceStamps } from "#workspace/read/stamps";
import { writeFile, type WriteOptions } from "#workspace/write/write-file";

/**
 * The files of a workspace as its run asks for them. Everything is limited, is broken off soon after the signal aborts,
 * and never follows a link. A missing or forbidden file is a refusal with a sentence. Refuses to write if the workspace
 * does not exist: a server that was suspended must not bring back the files of a run that has been deleted.
 */
export interface RunFiles {
  list(request: FolderRequest): Promise<FolderListing>;
  look(name: string): Promise<Sight>;
  /** Returns the beginning of a file as text, and the size of the whole file. */
  read(name: string, maxBytes: number): Promise<{ readonly text: string; readonly bytes: number }>;
  digest(name: string, algorithm: Algorithm): Promise<Digested>;
  write(name: string, text: string): Promise<void>;
  publish(request: PublishRequest): Promise<Published>;
  /** Stamps the files for a later comparison (`stamps.ts`); undefined if there are more than `maxEntries`. */
  maybeStamps(maxEntries: number): Promise<WorkspaceStamps | undefined>;
  /** Stamps declared inputs with their checksums. */
  maybeInputStamps(paths: readonly string[], maxEntries: number): Promise<readonly InputStamp[] | undefined>;
}

export interface RunFilesContext extends Omit<WriteOptions, "makesFolder"> {
  readonly threads: FileThreads;
  readonly readableRoots: readonly ReadableRoot[];
}

/** A folder outside the workspaces that every run may read. */
export interface ReadableRoot {
  /** Absolute path by which runs know it. */
  readonly at: string;
  /** The same folder without links on the way to it. */
  readonly folder: string;
}

export function runFiles(context: RunFilesContext, signal: AbortSignal): RunFiles {
  const { folder, threads } = context;
  const write = { ...context, makesFolder: false };
  const placeOf = (name: string) => readablePlace(context, name);
  async function digest(name: string, algorithm: Algorithm): Promise<Digested> {
    const place = placeOf(name);
    return digestFile(await openFileOrRefuse(place.root, place.name), algorithm, threads, signal);
  }
  return {
    async list(request) {
      const place = placeOf(request.name);
      const { prefix, name } = place;
      const after = request.after?.slice(prefix.length);
      const { entries, ...rest } = await listFolder(place.root, { ...request, name, after }, signal);
      return {
        entries: entries.map((entry) => atPlace(place, { ...entry, name: prefix + entry.name })),
        ...rest,
      };
    },
    async look(name) {
      const place = placeOf(name);
      return atPlace(place, await lookAt(place.root, place.name));
    },
    read: async (name, maxBytes) => {
      const place = placeOf(name);
      return readBeginning(place.root, place.name, maxBytes);
    },
    digest,
    async write(name, text) {
      signal.throwIfAborted();
      await writeFile(write, name, contentOf(text));
    },
    async publish(request) {
      signal.throwIfAborted();
      if (request.from !== request.to) return publishOutput({ ...write, threads }, request, signal);
      return { path: request.to, ...(await digest(request.from, request.algorithm)) };
    },
    maybeStamps: (maxEntries) => maybeStamps(folder, maxEntries),
    maybeInputStamps: (paths, maxEntries) =>
      maybeInputStamps(folder, paths, maxEntries, async (name) => (await digest(name, "sha256")).digest),
  };
}

/** Makes the target of a link a path as it was asked for. */
function atPlace<Seen extends object>({ prefix }: ReadablePlace, seen: Seen): Seen {
  if (!("target" in seen) || typeof seen.target !== "string") return seen;
  return { ...seen, target: prefix + seen.target };
}

async function* contentOf(text: string): AsyncIterable<Uint8Array> {
  yield Buffer.from(text);
}

/** A path that may be read: the folder that it must not leave, and the path inside it. */
interface ReadablePlace {
  readonly root: string;
  readonly name: string;
  /** Prefix that turns a path inside the folder into the requested path. */
  readonly prefix: string;
}

/** Finds the folder of an absolute path among those that every run may read. Any other path is in the workspace. */
function readablePlace(
  { folder, readableRoots }: Pick<RunFilesContext, "folder" | "readableRoots">,
  name: string,
): ReadablePlace {
  const inside = { root: folder, name, prefix: "" };
  if (!name.startsWith("/") || leadsUp(name)) return inside;
  const wanted = path.posix.normalize(name);
  const root = readableRoots.find(({ at }) => wanted === at || wanted.startsWith(`${at}/`));
  if (!root) return inside;
  return { root: root.folder, name: wanted.slice(root.at.length + 1), prefix: `${root.at}/` };
}
