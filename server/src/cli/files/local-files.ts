import { readdir, stat } from "node:fs/promises";
import path from "node:path";
import { CommandError } from "#cli/failure";
import { codeOf } from "#plumbing/errors";

export interface LocalFile {
  /** Path on this machine. */
  readonly file: string;
  /** Name inside the workspace. */
  readonly name: string;
  readonly bytes: number;
}

/**
 * Returns the files at these paths, including everything in folders. In the workspace they keep their paths relative to
 * this folder; a path outside it keeps only its last part.
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
    // A link to a folder may form a loop. A link to a file is uploaded as that file.
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
