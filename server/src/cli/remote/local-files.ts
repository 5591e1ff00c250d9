import { readdir, stat } from "node:fs/promises";
import path from "node:path";
import { CommandError } from "#cli/failure";
import { codeOf } from "#plumbing/errors";

export interface LocalFile {
  /** On this machine. */
  readonly file: string;
  /** Inside the workspace. */
  readonly name: string;
  readonly bytes: number;
}

/**
 * The files that are meant by these paths, folders with all that is in them. In the workspace they have the same names
 * relative to this folder; what lies outside it has its own name alone.
 */
export async function localFiles(
  paths: readonly string[],
  onLeftOut: (file: string) => void,
): Promise<LocalFile[]> {
  const found = new Map<string, LocalFile>();
  for (const given of paths) {
    for (const file of await filesBelow(given, path.basename(path.resolve(given)), onLeftOut))
      found.set(file.name, file);
  }
  return [...found.values()];
}

async function filesBelow(
  given: string,
  ownName: string,
  onLeftOut: (file: string) => void,
): Promise<LocalFile[]> {
  const relative = path.relative(process.cwd(), path.resolve(given));
  const isInside = relative !== ".." && !relative.startsWith(`..${path.sep}`) && !path.isAbsolute(relative);
  return collect(given, isInside ? relative : ownName, onLeftOut);
}

async function collect(file: string, name: string, onLeftOut: (file: string) => void): Promise<LocalFile[]> {
  const there = await stat(file).catch((error: unknown) => {
    if (["ENOENT", "ENOTDIR", "ELOOP"].includes(codeOf(error) ?? ""))
      throw new CommandError(`There is no file ${file}.`);
    throw error;
  });
  if (there.isFile()) return [{ file, name: name.split(path.sep).join("/"), bytes: there.size }];
  if (!there.isDirectory()) {
    onLeftOut(`${file} is neither a file nor a folder, and was left out.`);
    return [];
  }
  const files: LocalFile[] = [];
  for (const entry of await readdir(file, { withFileTypes: true })) {
    const inner = path.join(file, entry.name);
    // A link to a folder may lead in circles; one to a file is that file.
    if (entry.isSymbolicLink() && (await isFolderOrNothing(inner)))
      onLeftOut(`${inner} is a link to no file, and was left out.`);
    else files.push(...(await collect(inner, path.join(name, entry.name), onLeftOut)));
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
