import { execFile } from "node:child_process";
import { copyFile, readdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { ownEnvironment } from "./newcomer.ts";

const ROOT = path.join(import.meta.dirname, "..", "..", "..");

/** Returns the environment of a user who runs commands with this Node and has no checkout. */
export function environmentOf(node: string): NodeJS.ProcessEnv {
  const PATH = `${path.dirname(node)}:${process.env["PATH"]}`;
  // No registry of images can be reached from the tests.
  return { ...ownEnvironment(), PATH, REPRISE_CONTAINERS: "none" };
}

/** Returns the path of a package in a folder that is ready for an installation. CI has packed one already. */
export async function packInto(folder: string): Promise<string> {
  const { REPRISE_TEST_PACKAGE: ready } = process.env;
  if (!ready) return packWith("022", folder);
  await writeFile(path.join(folder, "package.json"), '{"type":"module"}');
  const file = path.join(folder, path.basename(ready));
  await copyFile(ready, file);
  return file;
}

/** Packs the published files under this umask. Returns the path of the package. */
export async function packWith(umask: string, folder: string): Promise<string> {
  const env = environmentOf(process.execPath);
  const pack = ["-c", `umask ${umask}; exec "$@"`, "sh", process.execPath, "tools/package.ts", folder];
  await promisify(execFile)("/bin/sh", pack, { cwd: ROOT, env });
  await writeFile(path.join(folder, "package.json"), '{"type":"module"}');
  return path.join(
    folder,
    (await readdir(folder)).find((name) => name.endsWith(".tgz"))!,
  );
}
