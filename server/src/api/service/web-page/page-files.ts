import { readdir, readFile, stat } from "node:fs/promises";
import path from "node:path";

/** A file of the built page. */
export interface PageFile {
  readonly type: string;
  /** True if the name contains a hash of the content. Browsers may cache the file for ever. */
  readonly isHashed: boolean;
  /** True if the file also has a gzip form. */
  readonly isCompressed: boolean;
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
  if (folder === undefined || !(await isFile(path.join(folder, "index.html")))) return undefined;
  const names = new Set(await readdir(folder, { recursive: true }));
  const files = [...names].filter((name) => TYPES[path.extname(name)] !== undefined);
  return new Map(files.map((name) => [name.replaceAll(path.sep, "/"), pageFile(folder, name, names)]));
}

function pageFile(folder: string, name: string, names: ReadonlySet<string>): PageFile {
  return {
    type: TYPES[path.extname(name)]!,
    isHashed: name.startsWith("assets"),
    isCompressed: names.has(name + GZIP_ENDING),
    read: (form) => readFile(path.join(folder, form === "gzip" ? name + GZIP_ENDING : name)),
  };
}

async function isFile(name: string): Promise<boolean> {
  return stat(name).then(
    (found) => found.isFile(),
    () => false,
  );
}
