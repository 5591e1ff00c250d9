import { readdir, stat } from "node:fs/promises";
import path from "node:path";
import { CommandError } from "#cli/failure";
import { type LinkOptions, refuseLeavingLink } from "#cli/files/leaving-links";
import { codeOf } from "#plumbing/errors";

export interface LocalFile {
  /** Local path. */
  readonly file: string;
  /** Name inside the workspace. */
  readonly name: string;
  readonly bytes: number;
}

/**
 * Returns the files at the given paths, including the contents of folders. In the workspace, files keep their
 * paths relative to this folder; a path outside the folder keeps only its last part. A link must not lead a
 * path in this folder out of the folder. For paths outside, a link must not lead a file out of its own
 * folder, or the contents of a folder out of the folder.
 */
export async function localFiles(
  paths: readonly string[],
  links: LinkOptions,
  onLeftOut: (file: string) => void,
): Promise<LocalFile[]> {
  const found = new Map<string, LocalFile>();
  for (const given of paths) {
    const start = startOf(given);
    await refuseLeavingLink(`${given} was`, given, links, start.linksStayIn);
    for (const file of await collect(given, start, { links, onLeftOut })) found.set(file.name, file);
  }
  return [...found.values()];
}

interface Start {
  readonly name: string;
  /** The folder that a link on the way to the path must not leave. */
  readonly linksStayIn: string;
  /** The folder that a link below the path must not leave. */
  readonly contentsStayIn: string;
}

function startOf(given: string): Start {
  const whole = path.resolve(given);
  const relative = path.relative(process.cwd(), whole);
  const isInside = relative !== ".." && !relative.startsWith(`..${path.sep}`) && !path.isAbsolute(relative);
  if (isInside) return { name: relative, linksStayIn: process.cwd(), contentsStayIn: process.cwd() };
  return { name: path.basename(whole), linksStayIn: path.dirname(whole), contentsStayIn: whole };
}

interface Collecting {
  readonly links: LinkOptions;
  readonly onLeftOut: (file: string) => void;
}

async function collect(
  file: string,
  { name, contentsStayIn }: Pick<Start, "name" | "contentsStayIn">,
  collecting: Collecting,
): Promise<LocalFile[]> {
  const there = await stat(file).catch((error: unknown) => {
    if (["ENOENT", "ENOTDIR", "ELOOP"].includes(codeOf(error) ?? ""))
      throw new CommandError(`There is no file ${file}.`);
    throw error;
  });
  if (there.isFile()) return [{ file, name: name.split(path.sep).join("/"), bytes: there.size }];
  const { links, onLeftOut } = collecting;
  if (!there.isDirectory()) {
    onLeftOut(`${file} is neither a file nor a folder, and was left out.`);
    return [];
  }
  const files: LocalFile[] = [];
  for (const entry of await readdir(file, { withFileTypes: true })) {
    const inner = path.join(file, entry.name);
    if (entry.isSymbolicLink()) {
      // A link to a folder may form a loop. A link to a file is uploaded as that file.
      if (await isFolderOrNothing(inner)) {
        onLeftOut(`${inner} is a link to no file, and was left out.`);
        continue;
      }
      await refuseLeavingLink(`${inner} was`, inner, links, contentsStayIn);
    }
    files.push(...(await collect(inner, { name: path.join(name, entry.name), contentsStayIn }, collecting)));
  }
  return files;
}

async function isFolderOrNothing(link: string): Promise<boolean> {
  try {
    return !(await stat(link)).isFile();
  } catch (error) {
    if (["ENOENT", "ELOOP", "ENOTDIR"].includes(codeOf(error) ?? "")) return true;
    throw error;
  }
}
