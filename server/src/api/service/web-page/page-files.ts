import { readdir, readFile, stat } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { gunzip } from "node:zlib";

/** A file of the built page. */
export interface PageFile {
  readonly type: string;
  /** True if the name contains a hash of the content. Browsers may cache the file for ever. */
  readonly isHashed: boolean;
  /** Reads the file in the form that a browser accepts. The built page consists of gzip files only. */
  read(form: "plain" | "gzip"): Promise<Buffer>;
}

const GZIP_ENDING = ".gz";

const TYPES: Readonly<Record<string, string>> = {
  ".css": "text/css; charset=utf-8",
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".svg": "image/svg+xml",
};

/**
 * Returns the files of the built page by their path, such as `assets/index-1a2b3c.js`. The server serves only
 * files of this list, so that no address can name another file. Returns undefined if the page is not built.
 */
export async function readPageFiles(
  folder: string | undefined,
): Promise<ReadonlyMap<string, PageFile> | undefined> {
  if (folder === undefined || !(await isFile(path.join(folder, `index.html${GZIP_ENDING}`))))
    return undefined;
  const packed = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith(GZIP_ENDING));
  const names = packed.map((name) => name.slice(0, -GZIP_ENDING.length));
  return new Map(names.map((name) => [name.replaceAll(path.sep, "/"), pageFile(folder, name)]));
}

function pageFile(folder: string, name: string): PageFile {
  return {
    type: TYPES[path.extname(name)]!,
    isHashed: name.startsWith("assets"),
    read: async (form) => {
      const packed = await readFile(path.join(folder, name + GZIP_ENDING));
      return form === "gzip" ? packed : promisify(gunzip)(packed);
    },
  };
}

async function isFile(name: string): Promise<boolean> {
  return stat(name).then(
    (found) => found.isFile(),
    () => false,
  );
}
