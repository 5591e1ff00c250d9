import type { InputStamp } from "#workflow/job/file-stamps";
import type { Algorithm } from "#workflow/job/job";
import { openFileOrRefuse, readBeginning, readEnd } from "#workspace/read/ask-files";
import { maybeFewListed, maybeFewStamps, maybeSmallDigest } from "#workspace/read/few-files";
import { type Digested, digestFile } from "#workspace/read/digest-file";
import type { FileThreads } from "#workspace/threads/file-threads";
import { type FolderListing, type FolderRequest, listFolder } from "#workspace/find/list-folder";
import { lookAt, type PathEntry } from "#workspace/find/look-at";
import { type Published, publishOutput, type PublishRequest } from "#workspace/write/publish-output";
import { type ReadLines, readLines } from "#workspace/read/read-lines";
import { appendLines } from "#workspace/write/append-lines";
import { type ReadablePlace, readablePlace, type ReadableRoot } from "#workspace/find/readable-place";
import {
  maybeInputStamps,
  maybeStamps,
  maybeStampsAt,
  type StampedFile,
  type WorkspaceStamps,
} from "#workspace/read/stamps";
import { writeFile, type WriteOptions } from "#workspace/write/write-file";

/**
 * The files of a workspace as its run asks for them. Everything is limited, is broken off soon after the signal aborts,
 * and never follows a link. A missing or forbidden file is a refusal with a sentence. Refuses to write if the workspace
 * does not exist: a server that was suspended must not bring back the files of a run that has been deleted.
 */
export interface RunFiles {
  list(request: FolderRequest): Promise<FolderListing>;
  look(name: string): Promise<PathEntry>;
  /** Returns the beginning of a file as text, and the size of the whole file. */
  read(name: string, maxBytes: number): Promise<{ readonly text: string; readonly bytes: number }>;
  /** Returns the last bytes of a file, at most `maxBytes`. */
  readEnd(name: string, maxBytes: number): Promise<Buffer>;
  digest(name: string, algorithm: Algorithm): Promise<Digested>;
  /**
   * Returns the whole lines after a position, of at most `maxBytes`. Returns no lines if the file does not
   * exist.
   */
  readLines(name: string, from: number, maxBytes: number): Promise<ReadLines>;
  /** Appends numbered lines, each once. A file that does not exist is made; its folder must exist. */
  appendLines(name: string, first: number, lines: readonly string[]): Promise<void>;
  write(name: string, text: string): Promise<void>;
  publish(request: PublishRequest): Promise<Published>;
  /**
   * Stamps a file, or each file below a folder. Returns an empty list if the path does not exist, and undefined if
   * there are more than `maxEntries` files or some cannot be seen.
   */
  maybeStampsAt(name: string, maxEntries: number): Promise<readonly StampedFile[] | undefined>;
  /** Stamps the files for a later comparison (`stamps.ts`); undefined if there are more than `maxEntries`. */
  maybeStamps(maxEntries: number): Promise<WorkspaceStamps | undefined>;
  /** Stamps declared inputs with their checksums. */
  maybeInputStamps(paths: readonly string[], maxEntries: number): Promise<readonly InputStamp[] | undefined>;
}

export interface RunFilesContext extends Omit<WriteOptions, "makesFolder"> {
  readonly threads: FileThreads;
  readonly readableRoots: readonly ReadableRoot[];
}

export function runFiles(context: RunFilesContext, signal: AbortSignal): RunFiles {
  const { folder, threads, readableRoots } = context;
  const write = { ...context, makesFolder: false };
  const placeOf = (name: string) => readablePlace(context, name);
  async function digest(name: string, algorithm: Algorithm): Promise<Digested> {
    const place = placeOf(name);
    signal.throwIfAborted();
    const small = place.root === folder ? maybeSmallDigest(folder, place.name, algorithm) : undefined;
    return small ?? digestFile(await openFileOrRefuse(place.root, place.name), algorithm, threads, signal);
  }
  return {
    async list(request) {
      const place = placeOf(request.name);
      const { prefix, name } = place;
      signal.throwIfAborted();
      const few = place.root === folder ? maybeFewListed(folder, request) : undefined;
      if (few) return few;
      const after = request.after?.slice(prefix.length);
      const { entries, ...rest } = await listFolder(
        place.root,
        { ...request, name, after, readableRoots },
        signal,
      );
      return {
        entries: entries.map((entry) => atPlace(place, { ...entry, name: prefix + entry.name })),
        ...rest,
      };
    },
    async look(name) {
      const place = placeOf(name);
      // A folder that every run may read has no name inside itself.
      if (place.prefix !== "" && place.name === "") return { kind: "folder", bytes: 0 };
      return atPlace(place, await lookAt(place.root, place.name, readableRoots));
    },
    read: async (name, maxBytes) => {
      const place = placeOf(name);
      return readBeginning(place.root, place.name, maxBytes);
    },
    readEnd: async (name, maxBytes) => {
      const place = placeOf(name);
      return readEnd(place.root, place.name, maxBytes);
    },
    readLines: (name, from, maxBytes) => readLines(folder, name, { from, maxBytes }),
    async appendLines(name, first, lines) {
      signal.throwIfAborted();
      await appendLines(folder, name, { first, lines });
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
    async maybeStampsAt(name, maxEntries) {
      signal.throwIfAborted();
      const { root, name: inside, prefix } = placeOf(name);
      const few = root === folder ? maybeFewStamps(folder, inside) : undefined;
      if (few && few.length <= maxEntries) return few;
      const stamped = await maybeStampsAt(root, inside, maxEntries);
      return stamped?.map((one) => ({ ...one, path: prefix + one.path }));
    },
    maybeStamps: (maxEntries) => maybeStamps(folder, maxEntries),
    maybeInputStamps: (paths, maxEntries) =>
      maybeInputStamps(folder, paths, maxEntries, async (name) => (await digest(name, "sha256")).digest),
  };
}

/** Gives the target of a link in the form in which paths of this folder are requested. */
function atPlace<Seen extends object>({ prefix }: ReadablePlace, seen: Seen): Seen {
  if (!("target" in seen) || typeof seen.target !== "string") return seen;
  return { ...seen, target: seen.target.startsWith("/") ? seen.target : prefix + seen.target };
}

async function* contentOf(text: string): AsyncIterable<Uint8Array> {
  yield Buffer.from(text);
}
