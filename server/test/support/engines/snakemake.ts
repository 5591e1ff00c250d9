import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import os from "node:os";
import path from "node:path";

/** The oldest and the newest Snakemake that run here: REANA's engine has the former. `pygments` makes reports possible. */
export const SNAKEMAKES = ["8.27.1", "9.27.1"] as const;

/** Returns the program of a release of Snakemake, after installing it if it is missing. */
export function snakemakeProgram(version: (typeof SNAKEMAKES)[number]): string {
  const environment = path.join(os.homedir(), ".cache", "reprise-snakemake", `snakemake-${version}`);
  const program = path.join(environment, "bin", "snakemake");
  if (!existsSync(program)) {
    execFileSync("python3", ["-m", "venv", "--clear", environment]);
    const pip = path.join(environment, "bin", "pip");
    execFileSync(pip, ["install", "--quiet", `snakemake==${version}`, "pygments"]);
  }
  return program;
}
