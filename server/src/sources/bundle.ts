import { createWriteStream } from "node:fs";
import { type FileHandle, open, rm } from "node:fs/promises";
import path from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { Refusal } from "#plumbing/errors";
import type { Random } from "#plumbing/ids";
import { checkEntries, PATH_BYTES_MAX } from "#plumbing/zip/check-entries";
import { readZip, type ZipEntry } from "#plumbing/zip/zip-reader";
import { MAX_SPECIFICATION_BYTES } from "#sources/git-source";

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
  const files = checkEntries(entries, { maxFiles: FILES_MAX, what: "bundle" });
  if ([...files.values()].reduce((sum, { bytes }) => sum + bytes, 0) > BYTES_MAX) throw tooLarge();
  const specification = files.get(SPECIFICATION_NAME);
  if (!specification) throw malformed(`it has no ${SPECIFICATION_NAME} at its top`);
  return { specificationText: await textOf(specification), files: [...files.values()] };
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
