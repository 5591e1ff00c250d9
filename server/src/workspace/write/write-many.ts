import { rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { crashPoint } from "#plumbing/crash-points";
import { modeOf } from "#plumbing/files/file-mode";
import type { FileRecord } from "#plumbing/files/file-records";
import { cleanPath, type Folder } from "#workspace/safe-path";
import {
  makeWorkspace,
  openParent,
  putInto,
  refusalOf,
  type WriteOptions,
} from "#workspace/write/write-file";

/** Number of files written at the same time, each in memory. */
const AT_ONCE = 8;

export interface WrittenFiles {
  readonly files: number;
  readonly bytes: number;
}

type Options = Omit<WriteOptions, "makesFolder">;

/**
 * Writes small files, each completely or not at all, as `writeFile` does. Consecutive files of one folder are written
 * through the same open folder: the path to it costs more than a small file. After a refusal the remaining files are
 * not read.
 */
export async function writeMany(options: Options, records: AsyncIterable<FileRecord>): Promise<WrittenFiles> {
  const place = new OpenFolders(options);
  let [files, bytes] = [0, 0];
  try {
    await makeWorkspace(options);
    for await (const record of records) {
      await place.begin(cleanPath(record.name), record);
      files += 1;
      bytes += record.content.length;
    }
    await place.settle();
  } finally {
    await place.leave();
  }
  return { files, bytes };
}

/** The folder that files currently go into, and the writes in progress. */
class OpenFolders {
  readonly #options: Options;
  readonly #underWay = new Set<Promise<void>>();
  #folderName: string | undefined;
  #folder: Folder | undefined;
  #failure: { readonly error: unknown } | undefined;

  constructor(options: Options) {
    this.#options = options;
  }

  async begin(clean: string, record: FileRecord): Promise<void> {
    const folder = await this.#enter(clean);
    const writing = this.#write(folder, clean, record)
      .catch((error: unknown) => {
        this.#failure ??= { error: refusalOf(error, clean) };
      })
      .finally(() => this.#underWay.delete(writing));
    this.#underWay.add(writing);
    if (this.#underWay.size >= AT_ONCE) await Promise.race(this.#underWay);
    this.#throwFailure();
  }

  async settle(): Promise<void> {
    await Promise.all(this.#underWay);
    this.#throwFailure();
  }

  async leave(): Promise<void> {
    await Promise.all(this.#underWay);
    await this.#folder?.close();
    this.#folder = undefined;
  }

  #throwFailure(): void {
    if (this.#failure) throw this.#failure.error;
  }

  async #enter(clean: string): Promise<Folder> {
    const folderName = path.posix.dirname(clean);
    if (this.#folder && this.#folderName === folderName) return this.#folder;
    await this.leave();
    try {
      ({ parent: this.#folder } = await openParent(this.#options, clean));
    } catch (error) {
      throw refusalOf(error, clean);
    }
    this.#folderName = folderName;
    return this.#folder;
  }

  async #write(folder: Folder, clean: string, { content, isExecutable }: FileRecord): Promise<void> {
    const { incomingFolder, random, fsync, beforePublishing } = this.#options;
    const incoming = path.join(incomingFolder, random.uuid());
    try {
      await writeFile(incoming, content, { flag: "wx", flush: fsync, mode: modeOf(isExecutable) });
      crashPoint("upload-received");
      await beforePublishing?.();
      await putInto(folder, { name: path.posix.basename(clean), incoming, fsync });
    } catch (error) {
      await rm(incoming, { force: true });
      throw error;
    }
  }
}
