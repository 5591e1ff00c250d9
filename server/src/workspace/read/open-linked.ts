import { linkTarget } from "#workspace/find/link-target";
import { isNotFollowed, maybeOpen, notFollowed, type Opened } from "#workspace/read/open-file";
import { cleanPath } from "#workspace/safe-path";

/**
 * Opens a file or a folder as `maybeOpen` does, for a reader of results. A link to a file of the same workspace gives that
 * file under the name of the link, also if a folder on the way is a link. The links are read first, and the file
 * at their end is opened without following links: a job that exchanges a link during the opening gains nothing. A link
 * out of the workspace, to nothing, or to a folder is refused.
 */
export async function maybeOpenLinked(folder: string, name: string): Promise<Opened | undefined> {
  const clean = cleanPath(name);
  const opened = await maybeOpenOrLink(folder, clean);
  if (opened !== undefined && opened !== "link") return opened;
  const target = await linkTarget(folder, clean);
  const isElsewhere = target !== null && target !== "" && target !== clean;
  const place = isElsewhere ? await maybeOpen(folder, target, clean) : undefined;
  if (place?.kind === "file") return place;
  if (opened === "link") throw notFollowed(clean);
  return undefined;
}

async function maybeOpenOrLink(folder: string, clean: string): Promise<Opened | "link" | undefined> {
  try {
    return await maybeOpen(folder, clean);
  } catch (error) {
    if (isNotFollowed(error)) return "link";
    throw error;
  }
}
