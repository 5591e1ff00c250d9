import { isBelow, namedBy } from "#plumbing/text/named-by";
import { linkTarget } from "#workspace/find/link-target";
import { walk } from "#workspace/find/walk";

interface Link {
  readonly name: string;
  /** The path of the final target in the workspace. */
  readonly target: string;
}

/**
 * Returns a predicate for the paths without which named files would be lost: those that named links lead to, and the
 * links on the way. A name may itself lie behind a linked folder.
 */
export async function linkedFrom(
  folder: string,
  names: readonly string[],
): Promise<(path: string) => boolean> {
  const links = await linksIn(folder);
  const isNamed = namedBy(names);
  const named = links.filter(({ name }) => isNamed(name) || names.some((one) => one.startsWith(`${name}/`)));
  const targets = new Set(named.map(({ target }) => target));
  const onTheWay = new Set([...targets].flatMap(withFolders));
  const kept = new Set(
    [...named, ...links.filter(({ target }) => onTheWay.has(target))].map(({ name }) => name),
  );
  return (path) => kept.has(path) || isBelow(path, targets);
}

/** Returns a path and its parent folders. */
function withFolders(path: string): string[] {
  const components = path.split("/");
  return components.map((_, index) => components.slice(0, index + 1).join("/"));
}

/** Returns the links that lead to a place in the workspace. */
async function linksIn(folder: string): Promise<Link[]> {
  const links: Link[] = [];
  for await (const batch of walk(folder, { onGap: () => undefined })) {
    for (const { name } of batch.filter(({ kind }) => kind === "link")) {
      const target = await linkTarget(folder, name);
      if (target !== null && target !== "") links.push({ name, target });
    }
  }
  return links;
}
