import { spawn } from "node:child_process";
import type { Readable, Writable } from "node:stream";

import { codeOf, Refusal } from "#plumbing/errors";
import { startProcess } from "#plumbing/start-process";

/**
 * A git command in a child process with its own process group, without a shell, and without anything from the machine's
 * user or system: no configuration, credentials, hooks, proxy, prompt or home.
 */
export interface GitCommand {
  readonly args: readonly string[];
  /** Working directory. */
  readonly folder: string;
  /** Temporary folder, used as git's home. */
  readonly home: string;
  readonly searchPath: string;
  /** Maximum size of a single allocation by git. */
  readonly maxMemoryBytes: number;
  /** Kills the command and all its children. The abort reason is thrown. */
  readonly signal: AbortSignal;
  readonly stdin?: Buffer;
  /** A secret setting. It goes through the environment, because every user of the machine sees the arguments. */
  readonly secretSetting?: readonly [name: string, value: string] | undefined;
  /** Called with each piece of output. If it throws, the command is killed. */
  readonly onOutput?: (chunk: Buffer) => void;
}

export interface GitResult {
  readonly exitCode: number | null;
  /** The end of standard error, up to 16 KiB. */
  readonly errors: string;
}

const MAX_ERROR_BYTES = 16 * 1024;

const SETTINGS = [
  "credential.helper=",
  "core.hooksPath=/dev/null",
  "core.symlinks=false",
  "core.fsmonitor=false",
  "core.bigFileThreshold=8m",
  "submodule.recurse=false",
  "fetch.recurseSubmodules=false",
  // Keep the pack in one file: watching the folder is cheap, and a million objects do not become a million
  // files.
  "fetch.unpackLimit=1",
  "pack.threads=1",
  "gc.auto=0",
  "maintenance.auto=false",
  "protocol.version=2",
  // Also keeps git from following a repository's `http-alternates` to other hosts.
  "http.followRedirects=false",
  "http.proxy=",
  "http.sslVerify=true",
  // Ends a stalled transfer even if this server dies during the fetch.
  "http.lowSpeedLimit=1000",
  "http.lowSpeedTime=30",
  "transfer.bundleURI=false",
];

export async function runGit(command: GitCommand): Promise<GitResult> {
  const { signal } = command;
  signal.throwIfAborted();
  const args = [...SETTINGS.flatMap((setting) => ["-c", setting]), ...command.args];
  const starting = startProcess(() =>
    spawn("git", args, {
      cwd: command.folder,
      env: environmentOf(command),
      detached: true,
      stdio: ["pipe", "pipe", "pipe"],
    }),
  );
  const child = await starting.catch(refuseWithoutGit);
  const ended = new Promise<number | null>((resolve) => void child.once("close", resolve));
  const kill = () => killGroup(child.pid);
  if (signal.aborted) kill();
  signal.addEventListener("abort", kill, { once: true });
  try {
    sendAll(child.stdin, command.stdin);
    const failure = readAll(child.stdout, command.onOutput, kill);
    const errors = readEnd(child.stderr);
    const exitCode = await ended;
    signal.throwIfAborted();
    if (failure.error !== undefined) throw failure.error;
    return { exitCode, errors: errors.text() };
  } finally {
    signal.removeEventListener("abort", kill);
  }
}

function environmentOf(command: GitCommand): NodeJS.ProcessEnv {
  return {
    PATH: command.searchPath,
    HOME: command.home,
    TMPDIR: command.home,
    LC_ALL: "C",
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_CONFIG_GLOBAL: "/dev/null",
    GIT_ATTR_NOSYSTEM: "1",
    GIT_TERMINAL_PROMPT: "0",
    GIT_ASKPASS: "",
    GIT_ALLOW_PROTOCOL: "http:https",
    GIT_PROTOCOL_FROM_USER: "0",
    GIT_NO_REPLACE_OBJECTS: "1",
    GIT_ALLOC_LIMIT: String(command.maxMemoryBytes),
    ...(command.secretSetting && {
      GIT_CONFIG_COUNT: "1",
      GIT_CONFIG_KEY_0: command.secretSetting[0],
      GIT_CONFIG_VALUE_0: command.secretSetting[1],
    }),
  };
}

/** Kills git's process group, including its helpers. */
function killGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, "SIGKILL");
  } catch (error) {
    // ESRCH: the whole group has already ended.
    if (codeOf(error) !== "ESRCH") throw error;
  }
}

function sendAll(stdin: Writable, content: Buffer | undefined): void {
  // A command that ends before reading all its input reports the reason on standard error; EPIPE adds no
  // information.
  stdin.on("error", () => undefined);
  stdin.end(content);
}

function readAll(
  stdout: Readable,
  onOutput: GitCommand["onOutput"],
  kill: () => void,
): { readonly error: Error | undefined } {
  const failure: { error: Error | undefined } = { error: undefined };
  stdout.on("data", (chunk: Buffer) => {
    if (failure.error !== undefined) return;
    try {
      onOutput?.(chunk);
    } catch (error) {
      failure.error = error instanceof Error ? error : new Error(String(error));
      kill();
    }
  });
  return failure;
}

function readEnd(stderr: Readable): { text(): string } {
  let end = Buffer.alloc(0);
  stderr.on("data", (chunk: Buffer) => {
    end = Buffer.concat([end, chunk]).subarray(-MAX_ERROR_BYTES);
  });
  return { text: () => end.toString("utf8") };
}

function refuseWithoutGit(error: unknown): never {
  if (codeOf(error) !== "ENOENT") throw error;
  throw new Refusal(
    "not-implemented",
    "git is not installed on this server, so workflows cannot be created from a repository. " +
      "Ask the administrator to install git, or send the specification itself.",
    { cause: error },
  );
}
