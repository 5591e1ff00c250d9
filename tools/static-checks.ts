import { spawn } from "node:child_process";
import { once } from "node:events";
import { CODE, ROOT, toolPath } from "./project.ts";
import { writeSdkTypes } from "./sdk-types.ts";
import { shellScripts } from "./shell-scripts.ts";

export interface Check {
  readonly name: string;
  /** A program of the machine that gets the command as its arguments. Default: a tool of npm, the command's first word. */
  readonly program?: string;
  /** The Debian package of the program. */
  readonly package?: string;
  readonly command: readonly string[];
  /** Advice after a failure, if the tool itself gives none. */
  readonly advice?: string;
}

export interface Outcome {
  readonly passed: boolean;
  readonly output: string;
  /** Why the check did not run. */
  readonly skipped?: string;
}

export const STATIC_CHECKS: readonly Check[] = [
  { name: "types", command: ["tsc", "--project", "."] },
  { name: "types of the page", command: ["tsc", "--project", "ui"] },
  { name: "lint", command: ["oxlint", "--type-aware", "--deny-warnings", ...CODE] },
  { name: "format", command: ["oxfmt", "--check", ...CODE], advice: "npm run format mends it." },
  {
    name: "shell scripts",
    program: "shellcheck",
    package: "shellcheck",
    command: ["--check-sourced", ...shellScripts(ROOT)],
  },
  {
    name: "dead code",
    command: ["knip", "--no-progress"],
    advice: "Remove what nobody uses, or say in knip.json who does.",
  },
];

/** Runs the check and captures its output, to be shown only after a failure. */
export async function runCheck(check: Check): Promise<Outcome> {
  await writeSdkTypes();
  const [program, ...args] = wordsOf(check);
  const child = spawn(program!, args, {
    cwd: ROOT,
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, FORCE_COLOR: process.stdout.isTTY ? "1" : "0" },
  });
  const chunks: Buffer[] = [];
  child.stdout.on("data", (chunk: Buffer) => chunks.push(chunk));
  child.stderr.on("data", (chunk: Buffer) => chunks.push(chunk));
  try {
    const [code] = await once(child, "close");
    return { passed: code === 0, output: Buffer.concat(chunks).toString().trimEnd() };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT" || check.program === undefined) throw error;
    const skipped = `${check.program} is not installed: apt-get install ${check.package}`;
    return { passed: true, output: "", skipped };
  }
}

/** Returns the command line of the check. npm tools run with this Node. */
function wordsOf({ program, command: [tool, ...args] }: Check): readonly string[] {
  return program === undefined ? [process.execPath, toolPath(tool!), ...args] : [program, tool!, ...args];
}
