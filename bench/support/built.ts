import { execFileSync } from "node:child_process";
import { cp, mkdir, symlink } from "node:fs/promises";
import path from "node:path";

const ROOT = path.join(import.meta.dirname, "..", "..");

/**
 * Builds the package into a folder, using the `node_modules` of this checkout. Returns its command, as users
 * install it.
 */
export async function buildPackage(folder: string): Promise<string> {
  execFileSync(process.execPath, [path.join(ROOT, "tools", "build.ts")], { stdio: "ignore" });
  const target = path.join(folder, "package");
  await mkdir(target);
  for (const part of ["bin", "dist", "package.json"]) {
    await cp(path.join(ROOT, "server", part), path.join(target, part), { recursive: true });
  }
  await symlink(path.join(ROOT, "node_modules"), path.join(folder, "node_modules"));
  return path.join(target, "bin", "reprise.js");
}
