import { lstat, mkdir } from "node:fs/promises";
import { codeOf, Refusal } from "#plumbing/errors";
import { printable } from "#plumbing/text/printable";
import { componentsOf, FOLDERS_DEEP_MAX, hasParentSegment, isTooDeep } from "#plumbing/files/relative-path";
import { type Folder, HAS_PROC, hold, maybeHoldBelow, type SystemPath } from "#plumbing/files/open-folder";

export { closing, type Folder, HAS_PROC, type SystemPath } from "#plumbing/files/open-folder";

/**
 * Rules for paths in a workspace. A path from outside is first cleaned (without any I/O), then walked one
 * component at a time, without following links. On Linux each folder is held open and the next component is
 * addressed through its descriptor (`/proc/self/fd/…`), so that a running job cannot replace a folder with a
 * link during the walk. A deep folder is first opened by one call, and accepted if the kernel reports a path
 * without links (`plumbing/files/open-folder.ts`). On other systems each component is checked before use.
 */
const COMPONENT_BYTES_MAX = 255;
const PATH_BYTES_MAX = 4096;

/**
 * Normalizes a path: `/data//./a.txt` → `data/a.txt`; a backslash is an ordinary character. Refuses paths that are not
 * inside the workspace.
 */
export function cleanPath(name: string): string {
  const components = componentsOf(name);
  if (components.length === 0) throw new Refusal("malformed", "No file_name provided");
  if (hasParentSegment(name)) throw new Refusal("malformed", "'..' is not a valid path component");
  const shown = printable(name, 200);
  if (name.includes("\0")) throw new Refusal("malformed", `The file name ${shown} holds a NUL character.`);
  if (!name.isWellFormed()) throw new Refusal("malformed", `The file name ${shown} is not valid Unicode.`);
  if (Buffer.byteLength(name) > PATH_BYTES_MAX) {
    throw new Refusal("malformed", `The file name ${shown} is longer than ${PATH_BYTES_MAX} bytes.`);
  }
  const long = components.find((component) => Buffer.byteLength(component) > COMPONENT_BYTES_MAX);
  if (long !== undefined) {
    throw new Refusal("malformed", `"${printable(long, 60)}" is longer than ${COMPONENT_BYTES_MAX} bytes.`);
  }
  if (isTooDeep(name)) {
    throw new Refusal(
      "malformed",
      `The file name ${shown} is nested deeper than ${FOLDERS_DEEP_MAX} directories.`,
    );
  }
  return components.join("/");
}

/** Thrown when a job or a person has put something else in the place of a workspace's folder. */
export class DamagedWorkspace extends Refusal {
  constructor() {
    super(
      "absent",
      "The files of the run are gone: its workspace was replaced by something that is not a folder. Delete " +
        "the run and start another.",
    );
    this.name = "DamagedWorkspace";
  }
}

/**
 * Ignores the error if the workspace is damaged, because a restart cannot reuse a damaged workspace. Throws
 * any other error.
 */
export function ignoreDamage(error: unknown): undefined {
  if (!(error instanceof DamagedWorkspace)) throw error;
}

/** Opens a folder of the server, whose path is trusted. Returns undefined if it does not exist. */
export async function maybeOpenRoot(folder: string): Promise<Folder | undefined> {
  try {
    return await hold(folder);
  } catch (error) {
    const code = codeOf(error);
    if (code === "ENOENT") return undefined;
    throw code === "ENOTDIR" || code === "ELOOP" ? new DamagedWorkspace() : error;
  }
}

/** Yields the items, and closes the folder at the end, also if the consumer stops early. */
export async function* closingAfter<Item>(
  folder: Pick<Folder, "close">,
  items: AsyncIterable<Item>,
): AsyncGenerator<Item> {
  try {
    yield* items;
  } finally {
    await folder.close();
  }
}

/** Thrown during a walk; the caller decides between "not found" and "not allowed". */
export class InTheWay extends Error {
  readonly kind: "absent" | "link" | "not-a-folder";

  constructor(kind: InTheWay["kind"], name: string) {
    super(name);
    this.kind = kind;
  }
}

/** Opens a folder inside another, never through a link. */
export async function enter(folder: Folder, name: SystemPath): Promise<Folder> {
  const target = folder.at(name);
  // Without /proc nothing holds the parent in place: checking first is the best that can be done.
  if (!HAS_PROC && (await isLink(target))) throw new InTheWay("link", name.toString());
  try {
    return await hold(target);
  } catch (error) {
    throw await explain(error, target, name.toString());
  }
}

async function explain(error: unknown, target: SystemPath, name: string): Promise<unknown> {
  const code = codeOf(error);
  if (code === "ENOENT" || code === "ENAMETOOLONG") return new InTheWay("absent", name);
  if (code !== "ENOTDIR" && code !== "ELOOP") return error;
  return new InTheWay((await isLink(target)) ? "link" : "not-a-folder", name);
}

async function isLink(target: SystemPath): Promise<boolean> {
  return (await maybeLstat(target))?.isSymbolicLink() ?? false;
}

/** Returns undefined if the path does not exist. */
export async function maybeLstat(target: SystemPath) {
  try {
    return await lstat(target);
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw error;
  }
}

/** Makes a folder inside another, unless it exists. */
export type MakeFolder = (folder: Folder, name: string) => Promise<void>;

/**
 * Walks to the folder that contains the last component of a clean path. With `make`, missing folders on the way are
 * made. Takes ownership of the root: it is closed when the walk has left it.
 */
export async function walkToParent(
  root: Folder,
  clean: string,
  make?: MakeFolder,
): Promise<{ parent: Folder; name: string }> {
  const components = clean.split("/");
  const name = components.pop()!;
  let parent = root;
  try {
    const below = savesSteps(components.length, make) && (await maybeHoldBelow(root, components));
    if (below) {
      await root.close();
      return { parent: below, name };
    }
    for (const component of components) {
      await make?.(parent, component);
      const next = await enter(parent, component);
      await parent.close();
      parent = next;
    }
  } catch (error) {
    await parent.close();
    throw error;
  }
  return { parent, name };
}

/** Returns whether one call may replace the steps of a walk: not if the caller does something to each folder. */
function savesSteps(folders: number, make: MakeFolder | undefined): boolean {
  return make ? make === makeFolder && folders > 0 : folders > 1;
}

/** Makes one missing folder; for `walkToParent`. */
export async function makeFolder(folder: Folder, name: string): Promise<void> {
  try {
    await mkdir(folder.at(name), { mode: 0o777 });
  } catch (error) {
    if (codeOf(error) !== "EEXIST") throw error;
  }
}

/** Returns whether the system refused access because of permissions, and not because of a link or the file's kind. */
export function isNotPermitted(error: unknown): boolean {
  return codeOf(error) === "EACCES" || codeOf(error) === "EPERM";
}
