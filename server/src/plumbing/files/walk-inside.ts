import { mkdir, readlink, realpath } from "node:fs/promises";
import path from "node:path";
import { codeOf, messageOf } from "#plumbing/errors";
import { isWithin } from "#plumbing/files/is-within";
import { type Folder, HAS_PROC, hold, type SystemPath } from "#plumbing/files/open-folder";
import { componentsOf } from "#plumbing/files/relative-path";

/**
 * Walks to a path in a folder of a person, for commands on files whose names come from a specification or a server. Links
 * are read and followed here, never by the kernel: a link that stays in the folder is followed, and any other ends the
 * walk. On Linux each folder on the way is held open, so that exchanging a folder with a link changes nothing. The folder
 * itself is trusted: links may lead to it.
 */
export interface InsidePlace {
  /** The folder of the last component, held open. The caller closes it. */
  readonly parent: Folder;
  readonly name: string;
  /** Path on this machine, with all followed links resolved. */
  readonly path: string;
}

export interface WalkOptions {
  /** True if missing folders on the way are made. */
  readonly makesFolders?: boolean;
  /** True if a link in the last component is followed too. */
  readonly followsLast?: boolean;
}

/** Thrown if a path leads through a link that leaves the folder. */
export class LeavingLink extends Error {
  readonly folder: string;
  /** Path of the link in the folder. */
  readonly link: string;
  /** The text of the link. */
  readonly target: string;

  constructor(folder: string, link: string, target: string) {
    super(`${link} is a link to ${target}, which leads out of ${folder}`);
    this.name = "LeavingLink";
    this.folder = folder;
    this.link = link;
    this.target = target;
  }
}

/** The limit of Linux: a longer chain of links leads nowhere. */
const LINKS_MAX = 40;

/** Walks to the folder that contains the last component. The name is relative and has no `..`. */
export async function walkInside(
  folder: string,
  name: string,
  options: WalkOptions = {},
): Promise<InsidePlace> {
  const root = await hold(await realpath(folder));
  const walk = new InnerWalk(folder, root, options);
  return walk.to(componentsOf(name));
}

/** Returns the link that leads a path out of the folder. Undefined if the path stays in the folder or does not exist. */
export async function maybeLeavingLink(folder: string, name: string): Promise<LeavingLink | undefined> {
  try {
    const { parent } = await walkInside(folder, name, { followsLast: true });
    await parent.close();
    return undefined;
  } catch (error) {
    if (error instanceof LeavingLink) return error;
    if (["ENOENT", "ENOTDIR", "ELOOP"].includes(codeOf(error) ?? "")) return undefined;
    throw error;
  }
}

interface Held {
  readonly folder: Folder;
  readonly name: string;
}

class InnerWalk {
  readonly #top: string;
  readonly #options: WalkOptions;
  /** The folders from the top down to the present one. All stay open, because a link may lead up again. */
  readonly #held: Held[];
  #links = 0;
  /** The last followed link. */
  #via = { link: "..", target: ".." };

  constructor(top: string, root: Folder, options: WalkOptions) {
    this.#top = top;
    this.#held = [{ folder: root, name: "" }];
    this.#options = options;
  }

  async to(components: readonly string[]): Promise<InsidePlace> {
    try {
      const name = await this.#walk([...components]);
      const place = path.join(await realpath(this.#here.itself), name);
      return { parent: this.#held.pop()!.folder, name, path: place };
    } finally {
      for (const { folder } of this.#held) await folder.close();
    }
  }

  get #here(): Folder {
    return this.#held.at(-1)!.folder;
  }

  /** Walks until the last component is left, and returns it. */
  async #walk(left: string[]): Promise<string> {
    for (let component = left.shift(); component !== undefined; component = left.shift()) {
      const isLast = left.length === 0;
      if (component === "..") await this.#goUp();
      else if (isLast && !this.#options.followsLast) return component;
      else {
        const target = await maybeTarget(this.#here.at(component));
        if (target !== undefined) left.unshift(...(await this.#follow(component, target)));
        else if (isLast) return component;
        else await this.#enter(component);
      }
    }
    return ".";
  }

  async #goUp(): Promise<void> {
    if (this.#held.length === 1) throw new LeavingLink(this.#top, this.#via.link, this.#via.target);
    await this.#held.pop()!.folder.close();
  }

  async #enter(name: string): Promise<void> {
    const here = this.#here;
    try {
      if (this.#options.makesFolders) await makeFolder(here.at(name));
      this.#held.push({ folder: await hold(here.at(name)), name });
    } catch (error) {
      throw await inPlainWords(error, here);
    }
  }

  /** Returns the components that a link stands for, from the folder where the walk is afterwards. */
  async #follow(name: string, target: string): Promise<string[]> {
    const link = [...this.#held.slice(1).map((one) => one.name), name].join("/");
    this.#via = { link, target };
    this.#links += 1;
    if (this.#links > LINKS_MAX)
      throw Object.assign(new Error(`${link} is a link that leads in a circle`), { code: "ELOOP" });
    if (!target.startsWith("/")) return componentsOf(target);
    const tops = [path.resolve(this.#top), await realpath(this.#top)];
    const top = tops.find((one) => isWithin(target, one));
    if (top === undefined) throw new LeavingLink(this.#top, link, target);
    while (this.#held.length > 1) await this.#goUp();
    return componentsOf(target.slice(top.length));
  }
}

/** Returns the target of a link, or undefined if the path is not a link. */
async function maybeTarget(at: SystemPath): Promise<string | undefined> {
  try {
    return await readlink(at, "utf8");
  } catch (error) {
    if (["EINVAL", "ENOENT", "ENAMETOOLONG"].includes(codeOf(error) ?? "")) return undefined;
    throw error;
  }
}

async function makeFolder(at: SystemPath): Promise<void> {
  try {
    await mkdir(at);
  } catch (error) {
    if (codeOf(error) !== "EEXIST") throw error;
  }
}

/** Names a folder that is held open by its path in the message of an error: the system knows only the descriptor. */
export async function inPlainWords(error: unknown, { itself }: Folder): Promise<unknown> {
  if (!HAS_PROC || !messageOf(error).includes(`${itself}/`)) return error;
  const plain = messageOf(error).replaceAll(`${itself}/`, `${await realpath(itself)}/`);
  const { code, errno } = error as NodeJS.ErrnoException;
  return Object.assign(new Error(plain, { cause: error }), { code, errno });
}
