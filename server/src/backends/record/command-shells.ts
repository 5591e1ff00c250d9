import { type ChildProcessByStdio, spawn } from "node:child_process";
import type { Socket } from "node:net";
import type { Readable, Writable } from "node:stream";
import type { ProgramResult } from "#backends/containers/run-program";
import { SHELL } from "#backends/process/slots/host-environment";
import { signal } from "#backends/process/table/process-table";
import { messageOf } from "#plumbing/errors";
import { systemRandom } from "#plumbing/ids";
import { startProcess } from "#plumbing/start-process";
import { shellQuote } from "#plumbing/text/shell-quote";

interface ShellOptions {
  /** The environment of the shells. */
  readonly environment: Readonly<Record<string, string>>;
  /** Time limit of a command. Afterwards the command is ended with its shell. */
  readonly timeoutMs: number;
}

/** Runs a command with further variables, and returns its result. Never throws. */
export type RunInShell = (
  words: readonly [string, ...string[]],
  variables: Readonly<Record<string, string>>,
) => Promise<ProgramResult>;

/** A shell without a command ends after this time. */
const IDLE_MAX_MS = 1000;
/** Limit on the output of a command. */
const OUTPUT_MAX_CHARACTERS = 2 ** 20;
/** The exit code of a shell for a command that does not exist. */
const NOT_FOUND = 127;

type Child = ChildProcessByStdio<Writable, Readable, Readable>;

/**
 * Returns a function that runs short commands in shells, each one command at a time. Node copies the page tables of the
 * server for each process that it starts, and a small shell does not: a server of 400 MB would need 3 to 14 ms.
 */
export function createCommandShells({ environment, timeoutMs }: ShellOptions): RunInShell {
  const free = new Set<CommandShell>();
  return async (words, variables) => {
    const [known] = free;
    const shell = known ?? (await startShell(environment).catch(messageOf));
    if (typeof shell === "string") return { code: null, stdout: "", stderr: shell };
    free.delete(shell);
    const result = await shell.run(words, variables, timeoutMs);
    if (shell.isAlive) free.add(shell);
    shell.whenIdle(() => free.delete(shell));
    return result;
  };
}

async function startShell(env: Readonly<Record<string, string>>): Promise<CommandShell> {
  const child = await startProcess(() =>
    // A process group of its own: a command ends with its children.
    spawn(SHELL, ["-s"], { stdio: ["pipe", "pipe", "pipe"], cwd: "/", env, detached: true }),
  );
  return new CommandShell(child);
}

class CommandShell {
  readonly #child: Child;
  /** The line after the output of each command. */
  readonly #mark: string;
  isAlive = true;
  #printed = { stdout: "", stderr: "" };
  #problem = "";
  #onEnd: (code: number | null) => void = () => undefined;
  #onIdle: NodeJS.Timeout | undefined;

  constructor(child: Child) {
    this.#child = child;
    this.#mark = systemRandom.uuid();
    for (const name of ["stdout", "stderr"] as const)
      child[name].setEncoding("utf8").on("data", (text: string) => this.#hear(name, text));
    // A shell that is gone cannot be written to. Its end is handled on close.
    child.stdin.on("error", () => undefined);
    child.once("close", () => {
      this.isAlive = false;
      this.#onEnd(null);
    });
  }

  async run(
    words: readonly string[],
    variables: Readonly<Record<string, string>>,
    timeoutMs: number,
  ): Promise<ProgramResult> {
    clearTimeout(this.#onIdle);
    this.#printed = { stdout: "", stderr: "" };
    this.#keepsServerRunning(true);
    const limit = setTimeout(() => this.#kill(`it did not answer within ${timeoutMs / 1000} s`), timeoutMs);
    const code = await new Promise<number | null>((resolve) => {
      this.#onEnd = resolve;
      const settings = Object.entries(variables).map(([name, value]) => `${name}=${shellQuote(value)}`);
      const command = [...settings, ...words.map(shellQuote)].join(" ");
      const ends = `printf '\\n%s %s\\n' ${this.#mark} $?; printf '\\n%s \\n' ${this.#mark} >&2`;
      this.#child.stdin.write(`${command} </dev/null; ${ends}\n`);
    });
    clearTimeout(limit);
    this.#keepsServerRunning(false);
    const [stdout, stderr] = [this.#parts("stdout")[0], this.#parts("stderr")[0] + this.#problem];
    return { code: code === NOT_FOUND ? null : code, stdout, stderr };
  }

  /** Ends the shell after a while, unless another command comes. */
  whenIdle(onEnd: () => void): void {
    this.#onIdle = setTimeout(() => {
      onEnd();
      this.#child.stdin.end();
    }, IDLE_MAX_MS).unref();
  }

  #hear(name: "stdout" | "stderr", text: string): void {
    this.#printed[name] += text;
    if (this.#printed[name].length > OUTPUT_MAX_CHARACTERS) this.#kill("it printed too much");
    const code = this.#parts("stdout")[1];
    if (code !== undefined && this.#parts("stderr")[1] !== undefined) this.#onEnd(Number(code));
  }

  /** Splits the output of a command at the mark. */
  #parts(name: "stdout" | "stderr"): readonly [string, string?] {
    const [before = "", after] = this.#printed[name].split(`\n${this.#mark} `);
    return after?.endsWith("\n") ? [before, after.trim()] : [before];
  }

  #kill(why: string): void {
    this.#problem = `\n${why}`;
    this.isAlive = false;
    signal(-this.#child.pid!, "SIGKILL");
  }

  #keepsServerRunning(keeps: boolean): void {
    const { stdin, stdout, stderr } = this.#child;
    for (const one of [this.#child, ...([stdin, stdout, stderr] as unknown as Socket[])])
      if (keeps) one.ref();
      else one.unref();
  }
}
