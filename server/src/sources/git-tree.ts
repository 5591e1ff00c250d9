import { Refusal } from "#plumbing/errors";
import { FOLDERS_DEEP_MAX, isTooDeep } from "#plumbing/files/relative-path";
import { printable } from "#plumbing/text/printable";
import type { SpecificationWarning } from "#workflow/specification/specification";

/**
 * Limits of a Git tree listing (`git ls-tree -r -z -l`), which is parsed as it arrives and stopped when it is too long.
 * Only regular files are taken: a symbolic link could lead out of the workspace, and a submodule is another repository.
 */
export interface TreeLimits {
  readonly maxFiles: number;
  readonly maxBytes: number;
  /** Name of the tree in messages. */
  readonly what: string;
}

export interface TreeFile {
  /** The path as bytes, because git needs it back unchanged. */
  readonly rawPath: Buffer;
  readonly path: string;
  readonly bytes: number;
}

/** The longest path in Linux, with room for the fields before the path in its entry. */
const MAX_PATH_BYTES = 4096 + 128;
const MAX_LEFT_OUT_WARNINGS = 20;
const SYMLINK = "120000";
const SUBMODULE = "160000";

export class TreeListing {
  readonly files: TreeFile[] = [];
  readonly #limits: TreeLimits;
  readonly #leftOut: SpecificationWarning[] = [];
  #leftOutCount = 0;
  #totalBytes = 0;
  #rest = Buffer.alloc(0);

  constructor(limits: TreeLimits) {
    this.#limits = limits;
  }

  /** Parses a piece of the listing. Throws a refusal as soon as a limit is exceeded. */
  add(chunk: Buffer): void {
    let rest = Buffer.concat([this.#rest, chunk]);
    for (let end = rest.indexOf(0); end !== -1; end = rest.indexOf(0)) {
      this.#addEntry(rest.subarray(0, end));
      rest = rest.subarray(end + 1);
    }
    if (rest.length > MAX_PATH_BYTES) this.#refuse(`holds a path of more than ${MAX_PATH_BYTES} bytes`);
    this.#rest = rest;
  }

  /**
   * Returns one warning for each skipped link and submodule; past 20, one more with the number of the rest.
   */
  warnings(): readonly SpecificationWarning[] {
    const more = this.#leftOutCount - this.#leftOut.length;
    if (more === 0) return this.#leftOut;
    const message = `${more} more symbolic links or submodules were left out.`;
    return [...this.#leftOut, { code: "left_out", path: "", message }];
  }

  /** Parses an entry: `100644 blob 8d1…    1234<tab>data/names.txt`. */
  #addEntry(entry: Buffer): void {
    const tab = entry.indexOf("\t");
    const [mode, , , size] = entry.subarray(0, tab).toString("latin1").split(/ +/);
    const rawPath = entry.subarray(tab + 1);
    const path = this.#decodePath(rawPath);
    if (mode === SYMLINK || mode === SUBMODULE) this.#leaveOut(mode, path);
    else this.#take({ rawPath: Buffer.from(rawPath), path, bytes: Number(size) });
  }

  #take(file: TreeFile): void {
    const { maxFiles, maxBytes } = this.#limits;
    if (isTooDeep(file.path)) {
      this.#refuse(
        `holds a file in more than ${FOLDERS_DEEP_MAX} nested folders ("${printable(file.path, 80)}")`,
      );
    }
    this.files.push(file);
    this.#totalBytes += file.bytes;
    if (this.files.length > maxFiles) this.#refuse(`holds more than ${maxFiles} files`);
    if (this.#totalBytes > maxBytes) this.#refuse(`is larger than ${maxBytes} bytes`);
  }

  #leaveOut(mode: string, path: string): void {
    this.#leftOutCount += 1;
    if (this.#leftOutCount > this.#limits.maxFiles)
      this.#refuse(`holds more than ${this.#limits.maxFiles} files`);
    if (this.#leftOut.length >= MAX_LEFT_OUT_WARNINGS) return;
    const kind = mode === SYMLINK ? "symbolic link" : "submodule";
    const shown = printable(path, 200);
    const message = `The ${kind} ${shown} was left out: only ordinary files are taken from a repository.`;
    this.#leftOut.push({ code: "left_out", path: shown, message });
  }

  #decodePath(raw: Buffer): string {
    const path = raw.toString("utf8");
    if (!Buffer.from(path, "utf8").equals(raw)) {
      this.#refuse(`holds a file whose name is not UTF-8 ("${printable(path, 80)}")`);
    }
    return path;
  }

  #refuse(reason: string): never {
    throw new Refusal("malformed", `${this.#limits.what} ${reason}, which is not allowed here.`);
  }
}
