import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { shellQuote } from "#plumbing/text/shell-quote";

const PROGRAM = path.join(import.meta.dirname, "..", "..", "bin", "reprise.js");

/** `reprise …` as a separate process. */
export interface Command {
  readonly pid: number;
  stdout(): string;
  stderr(): string;
  /** Types text into standard input. */
  type(text: string): void;
  /** Closes standard output early, as `head` does. */
  stopReading(): void;
  /** The exit code, or the signal that ended the process. */
  readonly ended: Promise<number | NodeJS.Signals>;
  kill(signal: NodeJS.Signals): void;
}

export interface CommandOptions {
  /** Runs the command in a terminal: all output is in `stdout`, and input comes from a keyboard. */
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

/**
 * Wraps a command in `script`, which gives the command a terminal, passes on the exit code, and records no
 * log.
 */
function inTerminal(words: readonly string[]): string[] {
  return ["script", "--quiet", "--return", "--command", words.map(shellQuote).join(" "), "/dev/null"];
}

async function endOf(child: ChildProcess): Promise<number | NodeJS.Signals> {
  const [code, signal] = (await once(child, "close")) as [number | null, NodeJS.Signals | null];
  return code ?? signal!;
}
