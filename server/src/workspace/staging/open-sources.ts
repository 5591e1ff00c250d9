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
import { shown } from "#workspace/staging/plan-staging";

/** A source that exists in the workspace, and is neither a link nor behind one. */
export interface Source {
  /** Clean path in the workspace. */
  readonly name: string;
  readonly kind: "file" | "folder";
  /** Path for the system, valid until the next source is found. */
  readonly at: SystemPath;
}

/** Finds sources in a workspace. Keeps the folder of the last one open: those of a job mostly lie beside each other. */
export class Sources {
  readonly #root: string;
  #folderName: string | undefined;
  #folder: Folder | undefined;

  constructor(workspaceFolder: string) {
    this.#root = workspaceFolder;
  }

  async find(source: string): Promise<Source> {
    const name = cleanPath(source);
    const folder = await this.#enter(name);
    const at = folder.at(path.posix.basename(name));
    const stat = await maybeLstat(at);
    if (stat?.isFile()) return { name, kind: "file", at };
    if (stat?.isDirectory()) return { name, kind: "folder", at };
    throw stat ? unfit(name, stat.isSymbolicLink()) : absent(name);
  }

  async close(): Promise<void> {
    await this.#folder?.close();
    this.#folder = undefined;
  }

  async #enter(name: string): Promise<Folder> {
    const folderName = path.posix.dirname(name);
    if (this.#folder && this.#folderName === folderName) return this.#folder;
    await this.close();
    const root = await maybeOpenRoot(this.#root);
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
  return new Refusal("absent", `${shown(name)} does not exist.`);
}

function unfit(name: string, isLink: boolean): Refusal {
  const what = isLink ? "is a link, or behind one" : "is neither a file nor a folder";
  return new Refusal("malformed", `${shown(name)} ${what}.`);
}
