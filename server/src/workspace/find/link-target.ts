import { isUtf8 } from "node:buffer";
import { readlink } from "node:fs/promises";
import path from "node:path";
import { codeOf } from "#plumbing/errors";
import { componentsOf } from "#plumbing/files/relative-path";
import {
  closing,
  InTheWay,
  isNotPermitted,
  maybeLstat,
  maybeOpenRoot,
  type SystemPath,
  walkToParent,
} from "#workspace/safe-path";
import { maybeRoot, type ReadableRoot } from "#workspace/find/readable-place";

/** The limit of Linux: a longer chain of links leads nowhere. */
const LINKS_MAX = 40;

/**
 * Returns the path in the folder that a link leads to in the end; null if it leads outside, in a circle, or to a name
 * that is not UTF-8. The place may be empty. The links are read one after the other and never followed, so nothing
 * outside the folder is touched. A link to a folder that every run may read gives an absolute path.
 */
export async function linkTarget(
  folder: string,
  link: string,
  readableRoots: readonly ReadableRoot[] = [],
): Promise<string | null> {
  const left = link.split("/");
  const reached: string[] = [];
  let links = 0;
  for (let component = left.shift(); component !== undefined; component = left.shift()) {
    if (component === "" || component === ".") continue;
    if (component === "..") {
      if (reached.pop() === undefined) return null;
      continue;
    }
    const text = await maybeLinkText(folder, [...reached, component].join("/"));
    if (text === undefined) {
      reached.push(component);
      continue;
    }
    links += 1;
    const inside = text === null || links > LINKS_MAX ? undefined : maybeInside(folder, text);
    if (!inside) return text === null ? null : outside(text, left, readableRoots);
    if (inside.isAbsolute) reached.length = 0;
    left.unshift(...inside.components);
  }
  return reached.join("/");
}

/**
 * Returns the absolute path of a link's target, if every run may read the target. The target may be a link.
 */
function outside(
  text: string,
  left: readonly string[],
  readableRoots: readonly ReadableRoot[],
): string | null {
  if (!text.startsWith("/")) return null;
  const wanted = path.posix.join(text, ...left);
  return maybeRoot(readableRoots, wanted) === undefined ? null : wanted;
}

/** Returns the text of a link: null if it is not UTF-8, undefined if the path leads to no link. */
async function maybeLinkText(folder: string, name: string): Promise<string | null | undefined> {
  const root = await maybeOpenRoot(folder);
  if (!root) return undefined;
  try {
    const { parent, name: last } = await walkToParent(root, name);
    return await closing(parent, () => textAt(parent.at(last)));
  } catch (error) {
    if (error instanceof InTheWay || isNotPermitted(error)) return undefined;
    throw error;
  }
}

async function textAt(at: SystemPath): Promise<string | null | undefined> {
  if (!(await maybeLstat(at))?.isSymbolicLink()) return undefined;
  const bytes = await maybeText(at);
  return bytes === undefined || isUtf8(bytes) ? bytes?.toString() : null;
}

/** Returns undefined if the link is gone, or a job has put something else in its place since it was seen. */
async function maybeText(at: SystemPath): Promise<Buffer | undefined> {
  try {
    return await readlink(at, { encoding: "buffer" });
  } catch (error) {
    if (["ENOENT", "EINVAL"].includes(codeOf(error) ?? "")) return undefined;
    throw error;
  }
}

function maybeInside(folder: string, text: string) {
  if (!text.startsWith("/")) return { isAbsolute: false, components: text.split("/") };
  const root = componentsOf(folder);
  const components = componentsOf(text);
  const isInside = root.every((component, index) => components[index] === component);
  return isInside ? { isAbsolute: true, components: components.slice(root.length) } : undefined;
}
