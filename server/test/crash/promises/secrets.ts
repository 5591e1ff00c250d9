import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import type { Witness } from "../witness.ts";

/** P10: after the end of all jobs, no file contains a secret that they were given and did not print. */
export async function secretsInFiles({ secrets }: Witness, dataFolder: string): Promise<string[]> {
  if (secrets.size === 0) return [];
  const values = [...secrets].map(([name, { value }]) => [name, Buffer.from(value.trim())] as const);
  const entries = await readdir(dataFolder, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name));
  const found: string[] = [];
  for (const file of files) {
    const content = await readFile(file);
    const held = values.filter(([, value]) => content.includes(value)).map(([name]) => name);
    if (held.length > 0)
      found.push(`P10: ${path.relative(dataFolder, file)} holds the secret ${held.join(", ")}.`);
  }
  return found;
}
