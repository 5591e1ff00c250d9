import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import path from "node:path";

const PROGRAM = path.join(import.meta.dirname, "..", "..", "bin", "reprise.js");

/** `reprise …` as a process of its own. */
export interface Command {
  readonly pid: number;
  stdout(): string;
  stderr(): string;
  /** The exit code, or the signal that ended it. */
  readonly ended: Promise<number | NodeJS.Signals>;
  kill(signal: NodeJS.Signals): void;
}

export interface CommandOptions {
  readonly cwd?: string;
  readonly environment?: Readonly<Record<string, string>>;
}

export function command(args: readonly string[], { cwd, environment = {} }: CommandOptions = {}): Command {
  const child = spawn(process.execPath, [PROGRAM, ...args], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, ...environment },
    ...(cwd !== undefined && { cwd }),
  });
  const written = { stdout: "", stderr: "" };
  child.stdout.on("data", (chunk: Buffer) => (written.stdout += String(chunk)));
  child.stderr.on("data", (chunk: Buffer) => (written.stderr += String(chunk)));
  return {
    pid: child.pid!,
    stdout: () => written.stdout,
    stderr: () => written.stderr,
    ended: endOf(child),
    kill: (signal) => void child.kill(signal),
  };
}

async function endOf(child: ChildProcess): Promise<number | NodeJS.Signals> {
  const [code, signal] = (await once(child, "close")) as [number | null, NodeJS.Signals | null];
  return code ?? signal!;
}
