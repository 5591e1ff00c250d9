import { execFile } from "node:child_process";
import { readdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { ownEnvironment } from "./newcomer.ts";

const ROOT = path.join(import.meta.dirname, "..", "..", "..");

/** What somebody has who types commands with this Node, and nothing of the checkout. */
export function environmentOf(node: string): NodeJS.ProcessEnv {
  return { ...ownEnvironment(), PATH: `${path.dirname(node)}:${process.env["PATH"]}` };
}

/** What is published, in a folder that is ready for an installation; answers its path. */
export async function packInto(folder: string): Promise<string> {
  const env = environmentOf(process.execPath);
  await promisify(execFile)(process.execPath, ["tools/package.ts", folder], { cwd: ROOT, env });
  await writeFile(path.join(folder, "package.json"), '{"type":"module"}');
  return path.join(
    folder,
    (await readdir(folder)).find((name) => name.endsWith(".tgz"))!,
  );
}
