import { spawn } from "node:child_process";
import { type Finding, missing, ok, warning } from "#cli/server/doctor/finding";
import { startProcess } from "#plumbing/start-process";

/** Timeout for a program to print its version. */
const TIMEOUT_MS = 5000;

export async function checkBash(): Promise<Finding> {
  const version = await versionOf("bash");
  if (version === undefined) return missing("bash", "absent: no job can run without it. Install bash.");
  return ok("bash", `${version}: runs the jobs' commands`);
}

export async function checkGit(): Promise<Finding> {
  const version = await versionOf("git");
  if (version === undefined) {
    return warning("git", "absent: no workflow can be created from a Git address. Install git.");
  }
  return ok("git", `${version}: workflows can be created from Git addresses`);
}

/** Returns the first number with a dot that `--version` prints, or undefined if the program cannot be used. */
export async function versionOf(program: string, timeout = TIMEOUT_MS): Promise<string | undefined> {
  const starting = startProcess(() =>
    spawn(program, ["--version"], { stdio: ["ignore", "pipe", "ignore"], timeout }),
  );
  // ENOENT, or no permission to execute: in both cases the program is unusable.
  const child = await starting.catch(() => undefined);
  if (!child) return undefined;
  let printed = "";
  child.stdout.on("data", (chunk: Buffer) => (printed += String(chunk)));
  return new Promise((resolve) => {
    child.once("close", (code) =>
      resolve(code === 0 ? (/\d+\.\d+[\w.]*/.exec(printed)?.[0] ?? "of an unknown version") : undefined),
    );
  });
}
