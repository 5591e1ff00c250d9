import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import path from "node:path";
import { createInterface } from "node:readline";
import { SERVER_FLAGS } from "../../tools/server-flags.js";

export const TOKEN = "bench.token.of-the-administrator-0123456789abcdef";

const ROOT = path.join(import.meta.dirname, "..", "..");

/** The command as users start it, with a cache of compiled code. */
export const PROGRAM = "server/bin/reprise.js";

export interface ServerProcess {
  readonly url: string;
  readonly pid: number;
  stop(): Promise<void>;
  /** Kills the server with SIGKILL, as a crash would. */
  kill(): Promise<void>;
}

export interface RepriseProcess extends ServerProcess {
  readonly dataFolder: string;
}

/** Makes a temporary folder on a real disk, so that both sides of a comparison use the same file system. */
export async function temporaryFolder(on = process.env["BENCH_FOLDER"] ?? "/var/tmp"): Promise<string> {
  return mkdtemp(path.join(on, "reprise-bench-"));
}

export async function removeFolder(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true });
}

export interface ServerOptions {
  readonly main?: string;
  /** Options of `reprise serve`. */
  readonly settings?: readonly string[];
  /** Options of Node. */
  readonly flags?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
}

/** Starts the real server, as a user does. */
export async function startReprise(
  dataFolder: string,
  { main = "server/src/main.ts", settings = [], flags = [], environment = {} }: ServerOptions = {},
): Promise<RepriseProcess> {
  const serve = [path.resolve(ROOT, main), "serve", "--port", "0", "--data", dataFolder, ...settings];
  const server = await start([...SERVER_FLAGS, ...flags, ...serve], {
    REPRISE_ADMIN_TOKEN: TOKEN,
    REPRISE_SAMPLE_RUN: "false",
    REPRISE_SANDBOX: "none",
    REPRISE_CONTAINERS: "none",
    ...environment,
  });
  return { ...server, dataFolder };
}

/** Starts a bare server of `bench/bare`, which prints its address like the real server. */
export function startBare(
  name: string,
  args: readonly string[] = [],
  { flags = [], environment = {} }: Pick<ServerOptions, "flags" | "environment"> = {},
): Promise<ServerProcess> {
  return start([...flags, path.join(ROOT, "bench", "bare", `${name}.ts`), ...args], environment);
}

const running = new Set<ChildProcess>();

/** Kills leftover servers of a failed measurement, because they would disturb the next. */
export function endLeftovers(): void {
  for (const child of running) child.kill("SIGKILL");
}

async function start(args: string[], environment: Readonly<Record<string, string>>): Promise<ServerProcess> {
  const child = spawn(process.execPath, args, {
    stdio: ["ignore", "pipe", "inherit"],
    env: { ...process.env, ...environment },
  });
  running.add(child);
  child.once("exit", () => running.delete(child));
  const url = await firstAddress(child);
  const end = async (signal: "SIGTERM" | "SIGKILL") => {
    const exited = once(child, "exit");
    child.kill(signal);
    await exited;
  };
  return { url, pid: child.pid!, stop: () => end("SIGTERM"), kill: () => end("SIGKILL") };
}

async function firstAddress(child: ChildProcess): Promise<string> {
  for await (const line of createInterface({ input: child.stdout! })) {
    const address = /http:\/\/[\w.:[\]]+/.exec(line);
    if (address) {
      child.stdout!.resume();
      return address[0];
    }
  }
  throw new Error("The server ended before it printed its address.");
}

/** Returns the resident memory in MB. */
export async function memoryMb(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, "utf8");
  return Number(/VmRSS:\s+(\d+)/.exec(status)![1]) / 1024;
}

/** Returns the highest resident memory so far in MB. */
export async function peakMemoryMb(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, "utf8");
  return Number(/VmHWM:\s+(\d+)/.exec(status)![1]) / 1024;
}
