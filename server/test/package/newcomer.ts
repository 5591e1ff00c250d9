import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { expect } from "vitest";
import { codeOf } from "#plumbing/errors";

const ROOT = path.join(import.meta.dirname, "..", "..", "..");

/** A user who has cloned the project and types commands into a terminal. */
export interface Newcomer {
  readonly checkout: string;
  /** Starts a command in the checkout, in a new process group as in a terminal. */
  type(words: readonly string[], environment?: Record<string, string>): Typed;
  /** Ends all running processes, and removes all files. */
  leave(): Promise<void>;
}

export interface Typed {
  readonly pid: number;
  stdout(): string;
  stderr(): string;
  /** The exit code, or the name of the fatal signal. */
  readonly ended: Promise<number | NodeJS.Signals>;
  /** Sends SIGINT to the whole process group, as Ctrl-C does. */
  pressCtrlC(): void;
  kill(signal: NodeJS.Signals): void;
}

export async function newcomer(): Promise<Newcomer> {
  const folder = await mkdtemp(path.join(os.tmpdir(), "reprise-newcomer-"));
  const checkout = path.join(folder, "reprise");
  execFileSync("git", ["clone", "--quiet", ROOT, checkout], { stdio: ["ignore", "ignore", "inherit"] });
  const running = new Set<Typed>();
  return {
    checkout,
    type([command, ...args], environment = {}) {
      const env = { ...ownEnvironment(), ...environment };
      const child = spawn(command!, args, {
        cwd: checkout,
        env,
        detached: true,
        stdio: ["ignore", "pipe", "pipe"],
      });
      const typed = typedOf(child);
      running.add(typed);
      void typed.ended.then(() => running.delete(typed));
      return typed;
    },
    async leave() {
      for (const typed of running) typed.kill("SIGKILL");
      await Promise.all([...running].map((typed) => typed.ended));
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Returns the environment without the variables of `npm test`, vitest and its compile cache, and without Reprise's settings. */
export function ownEnvironment(): NodeJS.ProcessEnv {
  const foreign =
    /^(npm_(lifecycle|package|command|execpath|node_execpath|config_local_prefix|config_user_agent)|INIT_CWD|REPRISE_|VITEST|NODE_ENV|NODE_OPTIONS|NODE_COMPILE_CACHE|TEST$)/;
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !foreign.test(name)));
}

function typedOf(child: ChildProcess): Typed {
  const written = { stdout: "", stderr: "" };
  child.stdout!.on("data", (chunk: Buffer) => (written.stdout += String(chunk)));
  child.stderr!.on("data", (chunk: Buffer) => (written.stderr += String(chunk)));
  const ended = once(child, "close").then(([code, signal]) => (code ?? signal) as number | NodeJS.Signals);
  const kill = (pid: number, signal: NodeJS.Signals) => {
    if (child.exitCode === null && child.signalCode === null) process.kill(pid, signal);
  };
  return {
    pid: child.pid!,
    stdout: () => written.stdout,
    stderr: () => written.stderr,
    ended,
    pressCtrlC: () => kill(-child.pid!, "SIGINT"),
    kill: (signal) => kill(signal === "SIGKILL" ? -child.pid! : child.pid!, signal),
  };
}

/** Waits for the address that a ready server prints, with three lines after it. Fails if the command ends before. */
export async function addressOf(typed: Typed, waitMs = 90_000): Promise<string> {
  let ended: number | NodeJS.Signals | undefined;
  void typed.ended.then((how) => (ended = how));
  const address = () => / is ready at (http:\/\/[\w.:[\]]+).*\n.*\n.*\n.*\n/.exec(typed.stdout())?.[1];
  await expect.poll(() => ended !== undefined || address() !== undefined, { timeout: waitMs }).toBe(true);
  const found = address();
  if (found === undefined) throw new Error(`It ended with ${ended}:\n${typed.stdout()}${typed.stderr()}`);
  return found;
}

/** Returns whether a process is running. A zombie counts as gone: only its exit status has not been read yet. */
export function isAlive(pid: number): boolean {
  try {
    return !readFileSync(`/proc/${pid}/stat`, "utf8").includes(") Z ");
  } catch (error) {
    if (["ENOENT", "ESRCH"].includes(codeOf(error) ?? "")) return false;
    throw error;
  }
}
