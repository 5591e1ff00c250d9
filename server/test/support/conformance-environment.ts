import { execFile } from "node:child_process";
import os from "node:os";
import path from "node:path";
import { promisify } from "node:util";

const INSTALL = path.join(import.meta.dirname, "..", "..", "..", "conformance", "install.sh");

/**
 * Returns a virtual environment with pinned packages, making it if missing. `npm run conformance` shares the
 * environment.
 */
export async function conformanceEnvironment(name: string): Promise<string> {
  const cache = process.env["XDG_CACHE_HOME"] ?? path.join(os.homedir(), ".cache");
  const folder = path.join(cache, "reprise-conformance");
  await promisify(execFile)("bash", [INSTALL, folder, name]);
  return path.join(folder, name);
}
