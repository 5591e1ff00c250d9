import { createWriteStream } from "node:fs";
import { type FileHandle, open, rm } from "node:fs/promises";
import path from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { Refusal } from "#plumbing/errors";
import type { Random } from "#plumbing/ids";
import { readZip, type ZipEntry } from "#plumbing/zip/zip-reader";
import { MAX_SPECIFICATION_BYTES } from "#sources/git-source";
import { componentsOf, isPlainPath } from "#plumbing/files/relative-path";

/** Bundles of REANA's newer client: a zip of `reana.yaml` and the files it refers to. */
export interface Bundles {
  /** Keeps the content in a file until the work has ended or failed. Refuses an invalid bundle. */
  use<Result>(content: AsyncIterable<Uint8Array>, work: (bundle: Bundle) => Promise<Result>): Promise<Result>;
}

export interface Bundle {
  readonly specificationText: string;
  /** Files of the bundle, including `reana.yaml`. */
  readonly files: readonly BundleFile[];
}

export interface BundleFile {
  /** Relative path with `/`, always inside the folder. */
  readonly name: string;
  content(): AsyncGenerator<Buffer>;
}

/** The limits of REANA's client. */
const FILES_MAX = 1000;
const FOLDERS_MAX = 2000;
const BYTES_MAX = 100 * 2 ** 20;
const PATH_BYTES_MAX = 4096;
const DEPTH_MAX = 64;
/** Headers and names come on top of the packed files. */
const ZIP_BYTES_MAX = BYTES_MAX + FILES_MAX * 2 * PATH_BYTES_MAX;
const SPECIFICATION_NAME = "reana.yaml";

export function openBundles({
  folder,
  random,
}: {
  readonly folder: string;
  readonly random: Random;
}): Bundles {
  return {
    async use(content, work) {
      const file = path.join(folder, `bundle-${random.uuid()}`);
      try {
        await pipeline(
          Readable.from(content, { objectMode: false }),
          bounded,
          createWriteStream(file, { mode: 0o600 }),
        );
        return await withOpen(file, async (handle) => work(await bundleIn(handle)));
      } finally {
        await rm(file, { force: true });
      }
    },
  };
}

async function* bounded(content: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let bytes = 0;
  for await (const chunk of content) {
    bytes += chunk.length;
    if (bytes > ZIP_BYTES_MAX) throw tooLarge();
    yield chunk;
  }
}

async function withOpen<Result>(
  file: string,
  work: (handle: FileHandle) => Promise<Result>,
): Promise<Result> {
  const handle = await open(file);
  try {
    return await work(handle);
  } finally {
    await handle.close();
  }
}

async function bundleIn(handle: FileHandle): Promise<Bundle> {
  const entries = await readZip(handle, { maxEntries: FILES_MAX + FOLDERS_MAX });
  for (const entry of entries) checkEntry(entry);
  const files = entries.filter(({ kind }) => kind === "file");
  checkTogether(entries, files);
  const specification = files.find(({ name }) => name === SPECIFICATION_NAME);
  if (!specification) throw malformed(`it has no ${SPECIFICATION_NAME} at its top`);
  return { specificationText: await textOf(specification), files };
}

function checkEntry({ name, kind }: ZipEntry): void {
  const shown = JSON.stringify(name.slice(0, 100));
  if (kind === "link") throw malformed(`${shown} is a symbolic link`);
  if (kind === "other") throw malformed(`${shown} is neither a file nor a folder`);
  if (name.startsWith("/") || /^[a-z]:/i.test(name)) throw malformed(`${shown} is an absolute path`);
  if (name.includes("\\") || name.includes("\0")) throw malformed(`${shown} holds a backslash or a NUL`);
  if (!isPlainPath(name.replace(/\/$/, ""))) throw malformed(`${shown} is no plain path inside it`);
  if (componentsOf(name).length > DEPTH_MAX)
    throw malformed(`${shown} is nested deeper than ${DEPTH_MAX} folders`);
  if (Buffer.byteLength(name) > PATH_BYTES_MAX)
    throw malformed(`${shown} is longer than ${PATH_BYTES_MAX} bytes`);
}

function checkTogether(entries: readonly ZipEntry[], files: readonly ZipEntry[]): void {
  if (files.length > FILES_MAX) throw malformed(`it has more than ${FILES_MAX} files`);
  if (files.reduce((sum, { bytes }) => sum + bytes, 0) > BYTES_MAX) throw tooLarge();
  const names = new Set(files.map(({ name }) => name));
  if (names.size < files.length) throw malformed("it holds two files of the same name");
  const both = entries.find(({ name, kind }) => kind === "folder" && names.has(name.replace(/\/$/, "")));
  if (both)
    throw malformed(`${JSON.stringify(both.name.replace(/\/$/, "").slice(0, 100))} is a file and a folder`);
  const inTheWay = files.find(({ name }) => foldersOf(name).some((folder) => names.has(folder)));
  if (inTheWay)
    throw malformed(`${JSON.stringify(inTheWay.name.slice(0, 100))} is inside something that is also a file`);
}

function foldersOf(name: string): string[] {
  const parts = name.split("/");
  return parts.slice(1).map((_, index) => parts.slice(0, index + 1).join("/"));
}

async function textOf(entry: ZipEntry): Promise<string> {
  if (entry.bytes > MAX_SPECIFICATION_BYTES) {
    throw malformed(`its ${SPECIFICATION_NAME} is larger than ${MAX_SPECIFICATION_BYTES} bytes`);
  }
  const chunks: Buffer[] = [];
  for await (const chunk of entry.content()) chunks.push(chunk);
  return Buffer.concat(chunks).toString("utf8");
}

function malformed(why: string): Refusal {
  return new Refusal("malformed", `The bundle cannot be used: ${why}.`);
}

function tooLarge(): Refusal {
  return new Refusal("too-large", `The bundle is larger than ${BYTES_MAX} bytes, unpacked or as it is.`);
}
