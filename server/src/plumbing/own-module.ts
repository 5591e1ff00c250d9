import path from "node:path";
import { fileURLToPath } from "node:url";

/**
 * Returns the address of a module of this server that a thread or another process loads. The argument is a plain text:
 * `npm run build` reads it in the source and puts the module into the package (tools/named-modules.ts).
 */
export function ownModule(name: `#${string}`): URL {
  return new URL(`../${name.slice(1)}${isSource() ? ".ts" : ".js"}`, import.meta.url);
}

/**
 * Returns the file of a program that runs in a small process. In the package the program is one CommonJS file with all its
 * imports: the loader of modules would take 5 MB. `npm run build` reads the argument, as for `ownModule`.
 */
export function ownProgram(name: `#${string}`): string {
  return fileURLToPath(new URL(`../${name.slice(1)}${isSource() ? ".ts" : ".cjs"}`, import.meta.url));
}

function isSource(): boolean {
  return path.extname(new URL(import.meta.url).pathname) === ".ts";
}
