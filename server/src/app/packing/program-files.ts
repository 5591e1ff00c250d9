import { createReadStream, existsSync } from "node:fs";
import { readdir, readFile, stat } from "node:fs/promises";
import path from "node:path";
import type { SupplyFile } from "#operations/reports/pack/pack-sources";

/** Files that no installed program reads: types, and the C code of native modules, whose compiled forms are there. */
const NOT_NEEDED = /\.(?:d\.[cm]?ts|map|c|cc|cpp|h|hpp|gypi?)$|\.md$|(?:^|\/)(?:deps|test|tests|docs)\//;

/**
 * Returns the files of an installed package with its dependencies, laid out as a runnable folder. Returns undefined for a
 * checkout, because Node strips no types in an installed package.
 */
export async function maybeProgramFiles(root: string): Promise<readonly SupplyFile[] | undefined> {
  if (!existsSync(path.join(root, "dist", "main.js")) || existsSync(path.join(root, "src"))) return undefined;
  const files = await filesOf(root, "");
  for (const [place, folder] of await dependenciesOf(root))
    files.push(...(await filesOf(folder, `${place}/`)).filter(({ name }) => !NOT_NEEDED.test(name)));
  return files;
}

/** Returns the folder of each needed package, by its place in the pack. A second version lies in the package that needs it. */
async function dependenciesOf(root: string): Promise<ReadonlyMap<string, string>> {
  const places = new Map<string, string>();
  const add = async (folder: string, place: string): Promise<void> => {
    const { dependencies = {} } = JSON.parse(await readFile(path.join(folder, "package.json"), "utf8")) as {
      dependencies?: Readonly<Record<string, string>>;
    };
    for (const name of Object.keys(dependencies)) {
      const found = folderOf(name, folder);
      const top = `node_modules/${name}`;
      const at = (places.get(top) ?? found) === found ? top : `${place}${top}`;
      if (places.has(at)) continue;
      places.set(at, found);
      await add(found, `${at}/`);
    }
  };
  await add(root, "");
  return places;
}

/** Looks for a package as Node does: in the folders named `node_modules` of this folder and of those above it. */
function folderOf(name: string, from: string): string {
  for (let folder = from; ; folder = path.dirname(folder)) {
    const found = path.join(folder, "node_modules", name);
    if (existsSync(path.join(found, "package.json"))) return found;
    if (folder === path.dirname(folder))
      throw new Error(`${from} needs the package ${name}, which is not installed.`);
  }
}

async function filesOf(folder: string, place: string): Promise<SupplyFile[]> {
  const files: SupplyFile[] = [];
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const file = path.join(folder, entry.name);
    if (entry.isDirectory() && entry.name !== "node_modules")
      files.push(...(await filesOf(file, `${place}${entry.name}/`)));
    if (!entry.isFile()) continue;
    const { size, mode } = await stat(file);
    files.push({
      name: `${place}${entry.name}`,
      content: () => contentOf(file),
      bytes: size,
      mode: mode & 0o755,
    });
  }
  return files;
}

async function* contentOf(file: string): AsyncGenerator<Buffer> {
  yield* createReadStream(file) as AsyncIterable<Buffer>;
}
