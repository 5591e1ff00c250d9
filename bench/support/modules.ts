import { mkdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import type { ServerProcess } from "./server-process.ts";

const COUNTER = ["--import", path.join(import.meta.dirname, "count-modules.js")];

export interface ProcessOptions {
  readonly flags: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
}

/** Starts and stops a server, and returns the number of loaded modules. */
export async function countModules(
  folder: string,
  start: (options: ProcessOptions) => Promise<ServerProcess>,
): Promise<number> {
  const file = path.join(folder, "modules-loaded");
  const server = await start({ flags: COUNTER, environment: { MODULES_LOADED_FILE: file } });
  await server.stop();
  return Number(await readFile(file, "utf8"));
}

/** Functions that make a module as long as the server's median file: about 50 lines. */
const FUNCTIONS_PER_MODULE = 8;

/**
 * Writes `count` TypeScript modules and a main module that imports them all. Returns the path of the main
 * module.
 */
export async function writeModules(folder: string, count: number): Promise<string> {
  await mkdir(folder, { recursive: true });
  const names = Array.from({ length: count }, (_, index) => `module-${index}.ts`);
  await Promise.all(names.map((name, index) => writeFile(path.join(folder, name), moduleSource(index))));
  const all = path.join(folder, "all.ts");
  await writeFile(all, names.map((name) => `import "./${name}";\n`).join(""));
  return all;
}

function moduleSource(index: number): string {
  const functions = Array.from({ length: FUNCTIONS_PER_MODULE }, (_, number) => {
    const name = `pick${index}Of${number}`;
    return `export function ${name}(rows: readonly Row[], from: number): readonly string[] {
  const chosen = rows.filter((row) => row.size > from + ${number});
  return chosen.map((row) => \`\${row.name}: \${row.size}\`);
}
`;
  });
  return `export interface Row {\n  readonly name: string;\n  readonly size: number;\n}\n\n${functions.join("\n")}`;
}
