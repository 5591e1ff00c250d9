import { spawn } from "node:child_process";
import { CODE, ROOT, toolPath } from "./project.ts";

export interface Check {
  readonly name: string;
  readonly command: readonly string[];
  /** Advice after a failure, if the tool itself gives none. */
  readonly advice?: string;
}

export interface Outcome {
  readonly passed: boolean;
  readonly output: string;
}

export const STATIC_CHECKS: readonly Check[] = [
  { name: "types", command: ["tsc", "--project", "."] },
  { name: "types of the page", command: ["tsc", "--project", "ui"] },
  { name: "lint", command: ["oxlint", "--type-aware", "--deny-warnings", ...CODE] },
  { name: "format", command: ["oxfmt", "--check", ...CODE], advice: "npm run format mends it." },
  {
    name: "dead code",
    command: ["knip", "--no-progress"],
    advice: "Remove what nobody uses, or say in knip.json who does.",
  },
];

/** Runs the tool with this Node and captures its output, which is shown only after a failure. */
export function runCheck(check: Check): Promise<Outcome> {
  const [tool, ...args] = check.command;
  const child = spawn(process.execPath, [toolPath(tool!), ...args], {
    cwd: ROOT,
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, FORCE_COLOR: process.stdout.isTTY ? "1" : "0" },
  });
  const chunks: Buffer[] = [];
  child.stdout.on("data", (chunk: Buffer) => chunks.push(chunk));
  child.stderr.on("data", (chunk: Buffer) => chunks.push(chunk));
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) =>
      resolve({ passed: code === 0, output: Buffer.concat(chunks).toString().trimEnd() }),
    );
  });
}
