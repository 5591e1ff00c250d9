import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";

const EXAMPLES = path.join(import.meta.dirname, "..", "..", "..", "examples");

/**
 * Returns a virtual environment with the requirements of the examples. Each version of the requirements has
 * an environment of its own, made once.
 */
export async function exampleEnvironment(): Promise<string> {
  const requirements = ["population", "fit"].map((name) => path.join(EXAMPLES, name, "requirements.txt"));
  const hash = createHash("sha256");
  for (const file of requirements) hash.update(await readFile(file));
  const name = hash.digest("hex").slice(0, 16);
  const environment = path.join(os.homedir(), ".cache", "reprise-examples", name);
  const stamp = path.join(environment, "is-complete");
  if (existsSync(stamp)) return environment;
  await mkdir(path.dirname(environment), { recursive: true });
  const python = path.join(environment, "bin", "python");
  execFileSync("python3", ["-m", "venv", "--clear", environment], { stdio: "inherit" });
  const install = ["-m", "pip", "install", "--quiet", ...requirements.flatMap((file) => ["-r", file])];
  execFileSync(python, install, { stdio: "inherit" });
  await writeFile(stamp, "");
  return environment;
}
