import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { shellQuote } from "#plumbing/shell-quote";

const PROGRAM = path.join(import.meta.dirname, "..", "..", "bin", "reprise.js");

/** `reprise …` as a process of its own. */
export interface Command {
  readonly pid: number;
  stdout(): string;
  stderr(): string;
  /** What somebody types. */
  type(text: string): void;
  /** Like `head`, which has seen enough. */
  stopReading(): void;
  /** The exit code, or the signal that ended it. */
  readonly ended: Promise<number | NodeJS.Signals>;
  kill(signal: NodeJS.Signals): void;
}

export interface CommandOptions {
  /** All that it writes is then in `stdout`, and what is typed comes from a keyboard. */
  readonly atTerminal?: boolean;
  readonly cwd?: string;
  readonly environment?: Readonly<Record<string, string>>;
}

export function command(args: readonly string[], options: CommandOptions = {}): Command {
  const { cwd, environment = {}, atTerminal = false } = options;
  const words = [process.execPath, PROGRAM, ...args];
  const [file, ...rest] = atTerminal ? inTerminal(words) : words;
  const child = spawn(file!, rest, {
    stdio: "pipe",
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
    type: (text) => void child.stdin.write(text),
    stopReading: () => [child.stdout, child.stderr].forEach((stream) => stream.destroy()),
    ended: endOf(child),
    kill: (signal) => void child.kill(signal),
  };
}

/** `script` gives a program a terminal of its own, passes its exit code on, and keeps no record of it. */
function inTerminal(words: readonly string[]): string[] {
  return ["script", "--quiet", "--return", "--command", words.map(shellQuote).join(" "), "/dev/null"];
}

async function endOf(child: ChildProcess): Promise<number | NodeJS.Signals> {
  const [code, signal] = (await once(child, "close")) as [number | null, NodeJS.Signals | null];
  return code ?? signal!;
}
