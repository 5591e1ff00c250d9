import { createHash } from "node:crypto";
import { encoded, type Entity, formatOf } from "#operations/reports/crate/json-ld";
import type { Mask } from "#plumbing/secrets/mask";
import type { ZipEntry } from "#plumbing/zip/zip-writer";
import type { OpenFile } from "#workspace/read/open-file";

/** Facts about a file. A crate names a file by the content that the run used. */
export interface KnownFile {
  readonly path: string;
  readonly bytes: number | null;
  readonly sha256: string | null;
}

export type Content = Iterable<Buffer> | AsyncIterable<Buffer>;

interface Packed {
  bytes: number;
  sha256: string;
}

/**
 * Files of a crate: the files that were packed, and the files that the crate only names, such as files between two steps.
 * Sizes and checksums are taken while the zip is written, so that no file is read twice.
 */
export class PackedFiles {
  readonly #packed = new Map<string, Packed>();
  readonly #named = new Map<string, KnownFile>();
  readonly #leftOut = new Map<string, string>();

  /** Returns the entry of the zip for a content. Its checksum is known after the entry was written. */
  entry(name: string, file: Omit<ZipEntry, "name" | "content">, content: Content): ZipEntry {
    const { modifiedAtMs, mode, bytes } = file;
    return { name, modifiedAtMs, mode, bytes, content: this.#noting(name, content) };
  }

  async *#noting(name: string, content: Content): AsyncGenerator<Buffer> {
    const hash = createHash("sha256");
    let bytes = 0;
    for await (const chunk of content) {
      hash.update(chunk);
      bytes += chunk.length;
      yield chunk;
    }
    this.#packed.set(name, { bytes, sha256: hash.digest("hex") });
  }

  leaveOut(path: string, reason: string): void {
    this.#leftOut.set(path, reason);
  }

  /**
   * Returns the id of a file as the run had it: the packed file if its content is the same, and else an entity that only
   * names the file.
   */
  idOf(file: KnownFile): string {
    const packed = this.#packed.get(file.path);
    if (packed && (file.sha256 === null || packed.sha256 === file.sha256)) return encoded(file.path);
    const id = `#file/${encoded(file.path)}`;
    const known = this.#named.get(id);
    const isOther = known?.sha256 && file.sha256 && known.sha256 !== file.sha256;
    if (isOther) return this.#name(`${id}@${file.sha256.slice(0, 12)}`, file);
    return known?.sha256 ? id : this.#name(id, { ...file, bytes: file.bytes ?? known?.bytes ?? null });
  }

  #name(id: string, file: KnownFile): string {
    this.#named.set(id, file);
    return id;
  }

  /** Returns the checksum of a file as the run had it. Undefined if it is unknown. */
  sha256Of({ path, sha256 }: KnownFile): string | undefined {
    return sha256 ?? this.#packed.get(path)?.sha256;
  }

  has(path: string): boolean {
    return this.#packed.has(path);
  }

  paths(): string[] {
    return [...this.#packed.keys()];
  }

  /** Returns what the files that the crate only names say about themselves. */
  *namedEntities(more: (id: string) => Partial<Entity>): Generator<Entity> {
    for (const [id, { path, bytes, sha256 }] of this.#named) {
      yield {
        "@id": id,
        "@type": "File",
        name: path,
        encodingFormat: formatOf(path),
        contentSize: bytes === null ? undefined : String(bytes),
        sha256: sha256 ?? undefined,
        description: this.#leftOut.get(path) ?? (this.has(path) ? CHANGED : NOT_PACKED),
        ...more(id),
      };
    }
  }

  *packedEntities(more: (path: string) => Partial<Entity>): Generator<Entity> {
    for (const [path, { bytes, sha256 }] of this.#packed) {
      const file = { "@id": encoded(path), "@type": "File", name: path, encodingFormat: formatOf(path) };
      yield { ...file, contentSize: String(bytes), sha256, ...more(path) };
    }
  }
}

const CHANGED = "The file of this name in the crate has changed since the run.";
const NOT_PACKED = "The crate does not hold this file.";

/** Returns true if a secret is in the file. The mask then changes the bytes. */
export async function holdsSecret({ read, bytes }: OpenFile, { reach, apply }: Mask): Promise<boolean> {
  if (reach === 0) return false;
  const buffer = Buffer.alloc(PART_BYTES);
  for (let at = 0; at < bytes; at += PART_BYTES - reach) {
    const part = buffer.subarray(0, await read(buffer, at));
    if (apply(part, false) !== part) return true;
  }
  return false;
}

const PART_BYTES = 1 << 20;
