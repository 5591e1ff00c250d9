import { mkdir, realpath, stat } from "node:fs/promises";
import path from "node:path";
import { CommandError } from "#cli/failure";
import { codeOf, Refusal } from "#plumbing/errors";
import { hold } from "#plumbing/files/open-folder";
import { isPlainPath } from "#plumbing/files/relative-path";
import { LeavingLink, maybeLeavingLink, type InsidePlace, walkInside } from "#plumbing/files/walk-inside";
import { printable } from "#plumbing/text/printable";

/**
 * The rule of all commands for links out of the folder in use: refuse the links by name, unless
 * `--follow-links` is given. A folder may come from somebody else, whose link could otherwise hand a private
 * key to a job, or redirect an output.
 */
export interface LinkOptions {
  readonly followLinks?: boolean | undefined;
}

/**
 * Returns the link that leads a file out of a folder. Undefined if the path has no such link, or if the link
 * is allowed or broken.
 */
export async function maybeRefusedLink(
  folder: string,
  name: string,
  { followLinks }: LinkOptions,
): Promise<LeavingLink | undefined> {
  if (followLinks === true) return undefined;
  const link = await maybeLeavingLink(folder, name);
  return link && (await leadsSomewhere(path.join(folder, name))) ? link : undefined;
}

/** Returns false for a broken link. A file that may not be looked at exists. */
async function leadsSomewhere(file: string): Promise<boolean> {
  try {
    await stat(file);
    return true;
  } catch (error) {
    return !["ENOENT", "ENOTDIR", "ELOOP"].includes(codeOf(error) ?? "");
  }
}

/** Throws if a file is read through a link that leaves the folder. `what` names the file in the sentence. */
export async function refuseLeavingLink(
  what: string,
  file: string,
  links: LinkOptions,
  folder = path.dirname(path.resolve(file)),
): Promise<void> {
  const link = await maybeRefusedLink(folder, path.relative(folder, path.resolve(file)), links);
  if (link) throw refusedSources(what, [link]);
}

const LINKS_SHOWN_MAX = 10;
const TEXT_SHOWN_MAX = 300;

/** Returns the error for unread files. All links are in one folder. */
export function refusedSources(what: string, links: readonly LeavingLink[]): CommandError {
  const shown = links
    .slice(0, LINKS_SHOWN_MAX)
    .map(({ link, target }) => printable(`${link} -> ${target}`, TEXT_SHOWN_MAX));
  const more = links.length - shown.length;
  const list = shown.join(", ") + (more > 0 ? ` and ${more} more` : "");
  return new CommandError(
    `${what} not read, because a link leads out of ${links[0]!.folder}: ${list}. ` +
      `Copy the files into the folder, or allow the links with --follow-links.`,
  );
}

/**
 * Opens the place of a file that comes from a workspace. Missing folders are made. A link on the way is followed if it
 * stays in the folder, and refused otherwise. The last component may be a link: rename a file over it.
 */
export async function openTarget(
  folder: string,
  name: string,
  { followLinks }: LinkOptions,
): Promise<InsidePlace> {
  refuseOutside(name);
  await mkdir(folder, { recursive: true });
  if (followLinks === true) return openAnywhere(path.join(folder, name));
  try {
    return await walkInside(folder, name, { makesFolders: true });
  } catch (error) {
    if (!(error instanceof LeavingLink)) throw error;
    const { link, target } = error;
    throw new CommandError(
      `${printable(`${name} was not written: ${link} is a link to ${target}`, TEXT_SHOWN_MAX)}, which leads out of ` +
        `${path.resolve(folder)}. Remove the link, choose another folder, or allow it with --follow-links.`,
      { cause: error },
    );
  }
}

/** Throws if a name leads out of the folder by itself, since the server may not be trustworthy. */
export function refuseOutside(name: string): void {
  if (isPlainPath(name) && !name.includes("\0")) return;
  throw new CommandError(`The server names a file ${printable(name, 200)}, which was not downloaded.`);
}

async function openAnywhere(file: string): Promise<InsidePlace> {
  await mkdir(path.dirname(file), { recursive: true });
  const parent = await realpath(path.dirname(file));
  const name = path.basename(file);
  return { parent: await hold(parent), name, path: path.join(parent, name) };
}

/**
 * Returns whether a file was refused because it is a link out of its workspace, to a missing file, or to a
 * folder.
 */
export function isUnfollowedLink(error: unknown): boolean {
  return (error instanceof Refusal ? error.errorCode : codeOf(error)) === "symlink";
}

/** Returns a sentence about an output that was not brought back because it is an unfollowed link. */
export function unfollowedSentence(name: string): string {
  return (
    `${printable(name, 200)} was not brought back: it is a link out of the workspace, to a folder, or to nothing. ` +
    "Let the step make a file, or declare what the link leads to."
  );
}
