import { createHash } from "node:crypto";
import { posix } from "node:path";
import { ASK_MAX_FILES } from "#engines/engine";
import { Refusal } from "#plumbing/errors";
import { isForEver } from "#runner/files/answer-ask";
import { UNSURE_STAMP } from "#workflow/job/file-stamps";
import type { RunFiles } from "#workspace/run-files";

/** The content of a file, or of all files of a folder. */
export interface InputDigest {
  readonly sha256: string;
  /** Stamps of the files at the time of reading, by path. */
  readonly stamps: Readonly<Record<string, string>>;
  /** Time of the latest change among the files. */
  readonly changedMs: number;
}

/**
 * Digests of the inputs of one run's jobs. A file is read once per stamp, however many jobs need the digest.
 */
export class InputDigests {
  readonly #files: RunFiles;
  /** Digests by path and stamp, perhaps still being made. */
  readonly #known = new Map<string, Promise<string>>();

  constructor(files: RunFiles) {
    this.#files = files;
  }

  /** Remembers a digest of an earlier run. The digest counts while the file has the same stamp. */
  remember(path: string, stamp: string, sha256: string): void {
    if (stamp !== UNSURE_STAMP) this.#known.set(keyOf(path, stamp), Promise.resolve(sha256));
  }

  /**
   * Returns the digest of a file or folder. A path that does not exist may be the common beginning of names in its
   * folder, so the digest of that folder is returned instead. Undefined if the folder does not exist either, or if the
   * content cannot be read or identified with certainty.
   */
  async maybeDigest(path: string): Promise<InputDigest | undefined> {
    try {
      return await this.#digest(path);
    } catch (error) {
      if (error instanceof Refusal && isForEver(error)) return undefined;
      throw error;
    }
  }

  async #digest(path: string): Promise<InputDigest | undefined> {
    const found = await this.#files.maybeStampsAt(path, ASK_MAX_FILES);
    const isFile = found?.length === 1 && found[0]!.path === path && found[0]!.kind === "file";
    const kind = isFile ? "file" : (await this.#files.look(path)).kind;
    if (kind === "absent") return this.#digestOfFolder(posix.dirname(path));
    if (kind !== "file" && kind !== "folder") return undefined;
    if (!found || found.some(({ stamp }) => stamp === UNSURE_STAMP)) return undefined;
    const digests: string[] = [];
    for (const file of found)
      digests.push(file.kind === "file" ? await this.#read(file) : await this.#linkOf(file.path));
    const stamps = Object.fromEntries(found.map((file) => [file.path, file.stamp]));
    const changedMs = Math.max(0, ...found.map((file) => file.changedMs));
    if (kind === "file") return { sha256: digests[0]!, stamps, changedMs };
    const inside = found.map((file, index) => [file.path.slice(path.length + 1), digests[index]]);
    const sha256 = createHash("sha256").update(JSON.stringify(inside)).digest("hex");
    return { sha256, stamps, changedMs };
  }

  async #digestOfFolder(path: string): Promise<InputDigest | undefined> {
    if (path === "." || path === "/") return undefined;
    const { kind } = await this.#files.look(path);
    return kind === "folder" ? this.#digest(path) : undefined;
  }

  #read({ path, stamp }: { readonly path: string; readonly stamp: string }): Promise<string> {
    const key = keyOf(path, stamp);
    const known = this.#known.get(key);
    if (known) return known;
    const reading = this.#files.digest(path, "sha256").then(({ digest }) => digest);
    this.#known.set(key, reading);
    reading.catch(() => this.#known.delete(key));
    return reading;
  }

  /** Returns a text for the target of a link. The target file is counted in its own folder. */
  async #linkOf(path: string): Promise<string> {
    const sight = await this.#files.look(path);
    return `link to ${sight.kind === "link" ? (sight.target ?? "the outside") : "nothing"}`;
  }
}

function keyOf(path: string, stamp: string): string {
  return `${stamp} ${path}`;
}
