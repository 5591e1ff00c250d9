import { globSync, readFileSync } from "node:fs";
import path from "node:path";

const FOLDERS = ["server", "conformance", "examples", "tools", "bench", ".ci"];
const SHEBANG = /^#!.*\b(?:ba)?sh\n/;
const SOURCED = /^\s*# shellcheck source=(\S+)$/gm;

/**
 * Returns the shell scripts below a folder, as relative paths. Sourced scripts are left out: shellcheck
 * checks them together with the sourcing script, where their variables have values.
 */
export function shellScripts(root: string): string[] {
  const files = FOLDERS.flatMap((folder) =>
    globSync(`${folder}/**/*`, {
      cwd: root,
      withFileTypes: true,
      exclude: ({ name }) => name === "node_modules" || name === "dist",
    }),
  );
  const scripts = files
    .filter((entry) => entry.isFile() && [".sh", ""].includes(path.extname(entry.name)))
    .map(({ parentPath, name }) => path.relative(root, path.join(parentPath, name)))
    .map((name) => ({ name, text: readFileSync(path.join(root, name), "utf8") }))
    .filter(({ name, text }) => name.endsWith(".sh") || SHEBANG.test(text));
  const sourced = new Set(
    scripts.flatMap(({ name, text }) =>
      [...text.matchAll(SOURCED)].map(([, other]) => path.join(path.dirname(name), other!)),
    ),
  );
  return scripts
    .map(({ name }) => name)
    .filter((name) => !sourced.has(name))
    .toSorted();
}
