import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import os from "node:os";
import path from "node:path";

// reana-client imports a part of setuptools that was removed in version 81.
const PACKAGES = ["reana-client==0.9.6", "setuptools<81"] as const;
const ENVIRONMENT = path.join(os.homedir(), ".cache", "reprise-bench", PACKAGES[0]);

/** Returns the path of REANA's client, and installs it from the Python Package Index if it is missing. */
export function reanaClient(): string {
  const program = path.join(ENVIRONMENT, "bin", "reana-client");
  if (!existsSync(program)) {
    console.log(`installing ${PACKAGES[0]} in ${ENVIRONMENT} …`);
    const pip = path.join(ENVIRONMENT, "bin", "pip");
    execFileSync("python3", ["-m", "venv", "--clear", ENVIRONMENT], { stdio: "inherit" });
    execFileSync(pip, ["install", "--quiet", ...PACKAGES], { stdio: "inherit" });
  }
  return program;
}
