import { readFileSync } from "node:fs";
import { fullImageName, type ImageName, repositoryOf } from "#backends/containers/images/image-name";
import { ImageProblem } from "#backends/containers/image-problem";
import type { RegistryCredentials } from "#backends/containers/images/registry-credentials";
import { codeOf, messageOf } from "#plumbing/errors";
import { writeSecretFile } from "#plumbing/secrets/secret-file";

/** Stands for the credentials of an image that was fetched without any. */
const NONE = "";

/**
 * Remembers the images that were fetched with credentials, and by whom. Such an image is on this machine for
 * everybody: the credentials of each user are tried once before their jobs may use the image.
 */
export class PrivateImages {
  readonly #file: string;
  readonly #names: Set<string>;
  /** The content of the file. Undefined: unknown, after a write that failed. */
  #text: string | undefined;
  /** Number of pulls with credentials that are under way, by the name of the image. */
  readonly #pulls = new Map<string, number>();
  /** The fingerprints of the credentials that have fetched an image, by the image's name. */
  readonly #fetchedWith = new Map<string, Set<string>>();
  #lastWrite: Promise<void> = Promise.resolve();

  constructor(file: string) {
    this.#file = file;
    this.#names = namesIn(file);
    this.#text = textOf(this.#names);
  }

  /** Returns whether a job with these credentials may use the local image of this name. */
  mayUse(name: ImageName, credentials: RegistryCredentials | undefined): boolean {
    if (!this.#isPrivate(name)) return true;
    const fetched = this.#fetchedWith.get(fullImageName(name));
    return fetched?.has(NONE) === true || fetched?.has(credentials?.fingerprint ?? NONE) === true;
  }

  /** A digest may name the same image as any tag of the repository: the tag is unknown. */
  #isPrivate(name: ImageName): boolean {
    if (this.#names.has(fullImageName(name))) return true;
    const start = `${repositoryOf(name)}:`;
    return name.digest !== undefined && [...this.#names].some((other) => other.startsWith(start));
  }

  /** Notes that the image was fetched with these credentials, or without credentials. */
  fetched(name: ImageName, credentials: RegistryCredentials | undefined): void {
    const full = fullImageName(name);
    const fetched = this.#fetchedWith.get(full) ?? new Set();
    this.#fetchedWith.set(full, fetched.add(credentials?.fingerprint ?? NONE));
  }

  /**
   * Records the image as private, before a pull with credentials, because the image is usable as soon as the
   * runtime has it. Throws an `ImageProblem` if the record cannot be written. Call `endPull` after the pull.
   */
  async beginPull(name: ImageName): Promise<void> {
    const full = fullImageName(name);
    const isKnown = this.#names.has(full);
    this.#pulls.set(full, (this.#pulls.get(full) ?? 0) + 1);
    this.#names.add(full);
    try {
      await this.#write();
    } catch (error) {
      this.#leave(full, { isAbsent: !isKnown });
      throw new ImageProblem(
        `The image ${full} was not pulled, because it could not be recorded as private: ${messageOf(error)}`,
        { cause: error },
      );
    }
  }

  /**
   * Forgets an image that nobody could fetch: users may name any image, and the administrator may load it
   * later.
   */
  async endPull(name: ImageName, outcome: { readonly isAbsent: boolean }): Promise<void> {
    this.#leave(fullImageName(name), outcome);
    await this.#write();
  }

  #leave(full: string, { isAbsent }: { readonly isAbsent: boolean }): void {
    const left = this.#pulls.get(full)! - 1;
    this.#pulls.set(full, left);
    if (left > 0) return;
    this.#pulls.delete(full);
    if (isAbsent) this.#names.delete(full);
  }

  /** Writes the names after any write that is under way, if the file is out of date. */
  #write(): Promise<void> {
    const written = this.#lastWrite.then(() => this.#writeNow());
    // The caller of the failed write gets the error. The next write tries again.
    this.#lastWrite = written.catch(() => undefined);
    return written;
  }

  async #writeNow(): Promise<void> {
    const text = textOf(this.#names);
    if (text === this.#text) return;
    this.#text = undefined;
    await writeSecretFile(this.#file, text);
    this.#text = text;
  }
}

function textOf(names: ReadonlySet<string>): string {
  return [...names]
    .toSorted()
    .map((name) => `${name}\n`)
    .join("");
}

function namesIn(file: string): Set<string> {
  try {
    return new Set(readFileSync(file, "utf8").split("\n").filter(Boolean));
  } catch (error) {
    if (codeOf(error) === "ENOENT") return new Set();
    throw error;
  }
}
