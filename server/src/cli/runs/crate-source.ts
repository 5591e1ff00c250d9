import { createWriteStream } from "node:fs";
import { mkdir, mkdtemp, open, opendir, readFile, rm, stat, statfs } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { CommandError } from "#cli/failure";
import { codeOf, Refusal } from "#plumbing/errors";
import { shortSize } from "#plumbing/text/human-size";
import { checkEntries } from "#plumbing/zip/check-entries";
import { readZip, type ZipEntry } from "#plumbing/zip/zip-reader";
import { CrateFault, METADATA } from "#workflow/crate/crate-document";

/** The files of a crate, which may be a zip or a folder. */
export interface CrateSource {
  /** Paths of all files, with `/`. */
  readonly names: ReadonlySet<string>;
  text(name: string, maxBytes: number): Promise<string>;
  /** Returns a folder with the named files at their paths. */
  folderWith(names: readonly string[]): Promise<string>;
  close(): Promise<void>;
}

/** A zip has no more without zip64. */
const FILES_MAX = 65_534;
const METADATA_MAX_BYTES = 256 << 20;

export async function openCrate(file: string, what = "crate"): Promise<CrateSource> {
  const there = await stat(file).catch((error: unknown) => {
    if (codeOf(error) === "ENOENT" || codeOf(error) === "ENOTDIR") return undefined;
    throw error;
  });
  if (!there) throw new CommandError(`There is no ${what} ${file}.`);
  return there.isDirectory() ? openFolder(file) : openZip(file);
}

export async function metadataOf(source: CrateSource): Promise<string> {
  if (!source.names.has(METADATA)) throw new CrateFault(`it has no ${METADATA} at its top`);
  return source.text(METADATA, METADATA_MAX_BYTES);
}

async function openFolder(folder: string): Promise<CrateSource> {
  const names = new Set<string>();
  const walk = async (inner: string): Promise<void> => {
    for await (const entry of await opendir(path.join(folder, inner))) {
      const name = inner === "" ? entry.name : `${inner}/${entry.name}`;
      if (entry.isDirectory()) await walk(name);
      else if (!entry.isFile())
        throw new CrateFault(
          `${JSON.stringify(name)} is ${entry.isSymbolicLink() ? "a symbolic link" : "not a file"}`,
        );
      else if (names.add(name).size > FILES_MAX) throw new CrateFault(`it has more than ${FILES_MAX} files`);
    }
  };
  await walk("");
  return {
    names,
    async text(name, maxBytes) {
      const file = path.join(folder, name);
      if ((await stat(file)).size > maxBytes) throw tooLarge(name, maxBytes);
      return readFile(file, "utf8");
    },
    folderWith: async () => folder,
    close: async () => undefined,
  };
}

async function openZip(file: string): Promise<CrateSource> {
  const handle = await open(file);
  let unpacked: string | undefined;
  const close = async () => {
    await handle.close();
    if (unpacked !== undefined) await rm(unpacked, { recursive: true, force: true });
  };
  try {
    const entries = await readZip(handle, { maxEntries: FILES_MAX });
    const files = checkEntries(entries, { maxFiles: FILES_MAX, what: "crate" });
    return {
      names: new Set(files.keys()),
      async text(name, maxBytes) {
        const entry = files.get(name)!;
        if (entry.bytes > maxBytes) throw tooLarge(name, maxBytes);
        const chunks: Buffer[] = [];
        for await (const chunk of entry.content()) chunks.push(chunk);
        return Buffer.concat(chunks).toString("utf8");
      },
      async folderWith(names) {
        unpacked = await mkdtemp(path.join(os.tmpdir(), "reprise-crate-import-"));
        await unpack(
          names.map((name) => files.get(name)!),
          unpacked,
        );
        return unpacked;
      },
      close,
    };
  } catch (error) {
    await close();
    if (error instanceof Refusal) throw new CommandError(error.message, { cause: error });
    throw error;
  }
}

async function unpack(entries: readonly ZipEntry[], folder: string): Promise<void> {
  const bytes = entries.reduce((sum, entry) => sum + entry.bytes, 0);
  const { bavail, bsize } = await statfs(folder);
  if (bytes > bavail * bsize)
    throw new CommandError(
      `The files of the crate need ${shortSize(bytes)}, and ${os.tmpdir()} has ${shortSize(bavail * bsize)} left.`,
    );
  for (const { name, content } of entries) {
    const target = path.join(folder, name);
    await mkdir(path.dirname(target), { recursive: true });
    await pipeline(
      Readable.from(content(), { objectMode: false }),
      createWriteStream(target, { flags: "wx" }),
    );
  }
}

function tooLarge(name: string, maxBytes: number): CrateFault {
  return new CrateFault(`its ${name} is larger than ${shortSize(maxBytes)}`);
}
