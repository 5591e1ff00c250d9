import { createHash } from "node:crypto";
import { type BigIntStats, constants } from "node:fs";
import { chmod, lstat, mkdir, open, readFile, rename, rm, utimes, writeFile } from "node:fs/promises";
import path from "node:path";
import type { Clock } from "#plumbing/clock";
import { crashPoint } from "#plumbing/crash-points";
import { codeOf, isDiskFull, Refusal } from "#plumbing/errors";
import { syncFolder } from "#plumbing/files/sync-folder";
import type { Random } from "#plumbing/ids";
import { isSameStamp } from "#workflow/job/file-stamps";
import { stampOf } from "#workspace/read/stamps";
import { exclusiveByKey } from "#plumbing/exclusive-by-key";
import { contentOfFile, type Received, receivePart } from "#workspace/contents/receive-part";
import { sweepContents } from "#workspace/contents/sweep-contents";

/** The content of an address at its last download. */
export interface KnownContent {
  readonly sha256: string;
  readonly bytes: number;
  /** The entity tag or the time of the last change, as the other side stated. Undefined if it stated neither. */
  readonly validator: string | undefined;
}

/** The beginning of content whose download was broken off. */
export interface ContentPart {
  readonly bytes: number;
  readonly validator: string;
}

export interface ReceiveRequest {
  /** Identifies the address, and the user if the address needs credentials. */
  readonly key: string;
  /** Size of the part to continue. 0 begins a new part. */
  readonly from: number;
  /** If absent, a part that is broken off is not kept. */
  readonly validator: string | undefined;
  readonly chunks: AsyncIterable<Uint8Array>;
  /** Called before the bytes are written. It may refuse. */
  readonly onBytes: (count: number) => Promise<void>;
}

/**
 * The contents that were fetched from addresses, each stored once under its SHA-256:
 *
 *     sha256/ab/abcd…      a file that is never written again
 *     addresses/KEY.json   what an address held, and when it was last used: the time of the file
 *     parts/KEY-SERVER     content that is arriving, with KEY-SERVER.json about its source
 *
 * Runs get copies (clones, where the file system can share blocks), because a job that owns a hard link could change
 * the store.
 */
export interface ContentStore {
  /** Returns what an address held, if the store still has it unchanged. */
  maybeKnown(key: string): Promise<KnownContent | undefined>;
  maybePart(key: string): Promise<ContentPart | undefined>;
  /** Writes arriving content. A later call can continue a broken download. */
  receive(request: ReceiveRequest): Promise<Received>;
  /** Keeps received content as what the address holds. */
  keep(key: string, content: KnownContent): Promise<void>;
  /** Removes a part that is of no use. */
  discard(key: string): Promise<void>;
  /** Works on an address alone: two downloads of one address would write to one part. */
  exclusively<Result>(key: string, signal: AbortSignal, work: () => Promise<Result>): Promise<Result>;
  /** Keeps the contents from the sweep until the returned function is called. */
  hold(sha256: string): () => void;
  /** Notes that the content of an address is used. */
  touch(key: string): Promise<void>;
  /** Path of a stored content. */
  fileOf(sha256: string): string;
  /** Removes the contents that were not used for the longest time, until the rest fits. */
  sweep(): Promise<void>;
}

export interface ContentStoreOptions {
  readonly folder: string;
  /** Distinguishes the parts of several servers on one folder. */
  readonly serverId: string;
  readonly maxBytes: number;
  readonly fsync: boolean;
  readonly clock: Clock;
  readonly random: Random;
}

interface Index extends KnownContent {
  /** The stamp of the stored file. A file with another stamp was changed by somebody else. */
  readonly stamp: string;
}

const READ_ONLY = 0o444;

export function openContentStore(options: ContentStoreOptions): ContentStore {
  return new FolderContents(options);
}

class FolderContents implements ContentStore {
  readonly exclusively = exclusiveByKey();
  readonly #options: ContentStoreOptions;
  /** Uses of contents by runs of this server, by digest. */
  readonly #held = new Map<string, number>();
  readonly #made = new Set<string>();

  constructor(options: ContentStoreOptions) {
    this.#options = options;
  }

  fileOf(sha256: string): string {
    return path.join(this.#options.folder, "sha256", sha256.slice(0, 2), sha256);
  }

  async maybeKnown(key: string): Promise<KnownContent | undefined> {
    const index = (await maybeJson(this.#indexOf(key))) as Index | undefined;
    if (!index) return undefined;
    const stat = await maybeStat(this.fileOf(index.sha256));
    if (!stat || !isSameStamp(stampOf(stat), index.stamp)) return undefined;
    const { sha256, bytes, validator } = index;
    return { sha256, bytes, validator };
  }

  async maybePart(key: string): Promise<ContentPart | undefined> {
    const note = (await maybeJson(this.#noteOf(key))) as { readonly validator: string } | undefined;
    const stat = note && (await maybeStat(this.#partOf(key)));
    return stat?.isFile() ? { bytes: Number(stat.size), validator: note!.validator } : undefined;
  }

  async receive({ key, from, validator, chunks, onBytes }: ReceiveRequest): Promise<Received> {
    await this.#ensureFolder(path.join(this.#options.folder, "parts"));
    const beginsAnew = constants.O_CREAT | constants.O_TRUNC;
    const flags = constants.O_RDWR | constants.O_NOFOLLOW | (from > 0 ? 0 : beginsAnew);
    const handle = await open(this.#partOf(key), flags, 0o600);
    const isNoted = validator !== undefined && from === 0;
    const note = isNoted ? () => this.#put(this.#noteOf(key), JSON.stringify({ validator })) : undefined;
    try {
      const received = await receivePart(handle, { from, chunks, onBytes, note });
      if (this.#options.fsync) await handle.sync();
      crashPoint("input-received");
      return received;
    } catch (error) {
      throw isDiskFull(error) ? noRoom(error) : error;
    } finally {
      await handle.close();
    }
  }

  async keep(key: string, { sha256, bytes, validator }: KnownContent): Promise<void> {
    const file = this.fileOf(sha256);
    await this.#ensureFolder(path.dirname(file));
    // Another address may have the same content. A file with another inode would look changed to that address.
    if (await isIntact(file, { sha256, bytes })) await rm(this.#partOf(key));
    else await this.#becomeContent(this.#partOf(key), file);
    crashPoint("input-stored");
    const stamp = stampOf(await lstat(file, { bigint: true }));
    const index: Index = { sha256, bytes, validator, stamp };
    await this.#put(this.#indexOf(key), JSON.stringify(index));
    await rm(this.#noteOf(key), { force: true });
  }

  async discard(key: string): Promise<void> {
    await rm(this.#noteOf(key), { force: true });
    await rm(this.#partOf(key), { force: true });
  }

  hold(sha256: string): () => void {
    const held = this.#held;
    held.set(sha256, (held.get(sha256) ?? 0) + 1);
    return () => {
      const count = held.get(sha256)! - 1;
      if (count > 0) held.set(sha256, count);
      else held.delete(sha256);
    };
  }

  async touch(key: string): Promise<void> {
    const now = this.#options.clock.now() / 1000;
    await utimes(this.#indexOf(key), now, now).catch(ignoreAbsent);
  }

  sweep(): Promise<void> {
    return sweepContents(this.#options, (sha256) => this.#held.has(sha256));
  }

  #indexOf(key: string): string {
    return path.join(this.#options.folder, "addresses", `${key}.json`);
  }

  #partOf(key: string): string {
    return path.join(this.#options.folder, "parts", `${key}-${this.#options.serverId}`);
  }

  #noteOf(key: string): string {
    return `${this.#partOf(key)}.json`;
  }

  async #becomeContent(part: string, file: string): Promise<void> {
    await chmod(part, READ_ONLY);
    await rename(part, file);
    if (this.#options.fsync) await syncFolder(path.dirname(file));
  }

  async #ensureFolder(name: string): Promise<void> {
    if (this.#made.has(name)) return;
    await mkdir(name, { recursive: true, mode: 0o700 });
    if (this.#options.fsync) await syncFolder(path.dirname(name));
    this.#made.add(name);
  }

  /** Writes a small file completely or not at all. */
  async #put(file: string, text: string): Promise<void> {
    await this.#ensureFolder(path.dirname(file));
    const fresh = `${file}.${this.#options.random.uuid()}`;
    await writeFile(fresh, text, { flag: "wx", mode: 0o600, flush: this.#options.fsync });
    await rename(fresh, file);
  }
}

/** Returns whether a stored content is there, by reading all of it. */
async function isIntact(
  file: string,
  { sha256, bytes }: Pick<KnownContent, "sha256" | "bytes">,
): Promise<boolean> {
  const stat = await maybeStat(file);
  if (!stat?.isFile() || Number(stat.size) !== bytes) return false;
  const handle = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW);
  try {
    const hash = createHash("sha256");
    for await (const chunk of contentOfFile(handle, bytes)) hash.update(chunk);
    return hash.digest("hex") === sha256;
  } finally {
    await handle.close();
  }
}

async function maybeJson(file: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(file, "utf8"));
  } catch (error) {
    // A file that a power cut has emptied is as good as none.
    if (codeOf(error) === "ENOENT" || error instanceof SyntaxError) return undefined;
    throw error;
  }
}

async function maybeStat(file: string): Promise<BigIntStats | undefined> {
  try {
    return await lstat(file, { bigint: true });
  } catch (error) {
    ignoreAbsent(error);
    return undefined;
  }
}

function ignoreAbsent(error: unknown): void {
  if (codeOf(error) !== "ENOENT") throw error;
}

function noRoom(cause: unknown): Refusal {
  return new Refusal("no-space", "The disk of the data folder is full. Free some space.", { cause });
}
