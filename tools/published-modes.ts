import { chmod, glob, readFile } from "node:fs/promises";
import path from "node:path";

/**
 * Sets the modes of the files that `npm pack` takes from a folder: readable by everybody, programs executable. Without
 * that, the package would depend on the umask of the checkout, and a file could be unreadable after an installation.
 */
export async function setPublishedModes(folder: string): Promise<void> {
  const { files, bin = {} } = JSON.parse(await readFile(path.join(folder, "package.json"), "utf8")) as {
    readonly files: readonly string[];
    readonly bin?: Readonly<Record<string, string>>;
  };
  const programs = Object.values(bin).map((file) => path.join(file));
  const published = ["package.json", "README.md", "LICENSE", ...files.map((name) => `${name}/**/*`)];
  for await (const entry of glob(published, { cwd: folder, withFileTypes: true })) {
    const file = path.join(entry.parentPath, entry.name);
    if (entry.isFile()) await chmod(file, programs.includes(path.relative(folder, file)) ? 0o755 : 0o644);
  }
}
