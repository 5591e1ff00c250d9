import { execFile } from "node:child_process";
import os from "node:os";
import path from "node:path";
import { promisify } from "node:util";

const INSTALL = path.join(import.meta.dirname, "..", "..", "..", "conformance", "install.sh");

/** Returns the path of a real `reana-client`. `npm run conformance` shares the installation, so it is made once. */
export async function reanaClient(version: "0.9.6" | "0.95.0a6"): Promise<string> {
  const cache = process.env["XDG_CACHE_HOME"] ?? path.join(os.homedir(), ".cache");
  const folder = path.join(cache, "reprise-conformance");
  await promisify(execFile)("bash", [INSTALL, folder]);
  return path.join(folder, version, "bin", "reana-client");
}
