import path from "node:path";
import { Refusal } from "#plumbing/errors";
import {
  cleanPath,
  type Folder,
  InTheWay,
  maybeLstat,
  maybeOpenRoot,
  type SystemPath,
  walkToParent,
} from "#workspace/safe-path";
import { readablePlace, type ReadableRoot } from "#workspace/find/readable-place";
import { printablePath } from "#workspace/staging/plan-staging";

/** An existing source in the workspace that is not a link or below a link. */
export interface Source {
  /** Clean path in the workspace, or absolute path in a folder that every run may read. */
  readonly name: string;
  readonly kind: "file" | "folder";
  /** Path for the system, valid until the next source is found. */
  readonly at: SystemPath;
}

/**
 * Finds sources in a workspace, and in the folders that every run may read. Keeps the folder of the last
 * source open, because the sources of a job are mostly in one folder.
 */
export class Sources {
  readonly #workspace: { readonly folder: string; readonly readableRoots: readonly ReadableRoot[] };
  #folderName: string | undefined;
  #folder: Folder | undefined;

  constructor(folder: string, readableRoots: readonly ReadableRoot[] = []) {
    this.#workspace = { folder, readableRoots };
  }

  async find(source: string): Promise<Source> {
    const { root, name: inside, prefix } = readablePlace(this.#workspace, source);
    const clean = cleanPath(inside);
    const folder = await this.#enter(root, clean);
    const at = folder.at(path.posix.basename(clean));
    const name = prefix + clean;
    const stat = await maybeLstat(at);
    if (stat?.isFile()) return { name, kind: "file", at };
    if (stat?.isDirectory()) return { name, kind: "folder", at };
    throw stat ? unfit(name, stat.isSymbolicLink()) : absent(name);
  }

  async close(): Promise<void> {
    await this.#folder?.close();
    this.#folder = undefined;
  }

  async #enter(top: string, name: string): Promise<Folder> {
    const folderName = path.join(top, path.posix.dirname(name));
    if (this.#folder && this.#folderName === folderName) return this.#folder;
    await this.close();
    const root = await maybeOpenRoot(top);
    if (!root) throw absent(name);
    try {
      ({ parent: this.#folder } = await walkToParent(root, name));
    } catch (error) {
      if (!(error instanceof InTheWay)) throw error;
      throw error.kind === "link" ? unfit(name, true) : absent(name);
    }
    this.#folderName = folderName;
    return this.#folder;
  }
}

function absent(name: string): Refusal {
  return new Refusal("absent", `${printablePath(name)} does not exist.`);
}

function unfit(name: string, isLink: boolean): Refusal {
  const what = isLink ? "is a link, or behind one" : "is neither a file nor a folder";
  return new Refusal("malformed", `${printablePath(name)} ${what}.`);
}
