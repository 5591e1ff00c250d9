import { createHash } from "node:crypto";
import { existsSync, readdirSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import { failureOf, type ProgramResult, runProgram } from "#backends/containers/run-program";
import type { Runtime } from "#backends/containers/runtime";
import type { Clock } from "#plumbing/clock";
import { readProc, signal } from "#backends/process/table/process-table";

/**
 * Returns the name of a job's container. The name contains the host, because a server on a copy of the data folder knows
 * the same jobs, and must not find the containers of the original.
 */
export function containerName(hostId: string, jobId: string): string {
  const host = createHash("sha256").update(hostId).digest("hex").slice(0, HOST_CHARACTERS);
  return `reprise-${host}-${jobId}`;
}

const HOST_CHARACTERS = 12;
const REMOVE_TIMEOUT_MS = 60_000;
const LOOK_INTERVAL_MS = 50;
/**
 * A monitor cleans up by itself. A monitor that takes longer knows a container that is unknown to the
 * runtime.
 */
const KILL_AFTER_MS = 2000;
const GIVE_UP_AFTER_MS = 20_000;

/** Ends a container, and resolves when neither the container nor any process of its runtime is left. */
export async function endContainer(
  { name: runtime, program }: Pick<Runtime, "name" | "program">,
  name: string,
  clock: Clock,
): Promise<void> {
  // The processes of Apptainer are the job's own, which end with the job.
  if (runtime === "apptainer") return;
  const words =
    runtime === "podman" ? ["rm", "--force", "--ignore", "--time=0", name] : ["rm", "--force", name];
  const beganAtMs = clock.elapsedMs();
  for (;;) {
    const removed = await runProgram([program, ...words], { timeoutMs: REMOVE_TIMEOUT_MS });
    const isGone =
      removed.code === 0 || /no such container/i.test(removed.stderr) || isUninstalled(program, removed);
    const left = processesOf(name);
    if (isGone && left.length === 0) return;
    const passedMs = clock.elapsedMs() - beganAtMs;
    if (passedMs > GIVE_UP_AFTER_MS)
      throw new Error(`The container ${name} could not be removed by ${runtime}: ${failureOf(removed)}`);
    if (passedMs > KILL_AFTER_MS) for (const pid of left) endWithChildren(pid);
    await new Promise<void>((resolve) => clock.after(LOOK_INTERVAL_MS, resolve));
  }
}

/**
 * Returns whether a runtime was uninstalled since it started the container, and can never remove a container
 * again.
 */
function isUninstalled(program: string, { code, stderr }: ProgramResult): boolean {
  return code === null && stderr.endsWith(" ENOENT") && !existsSync(program);
}

/** Returns the monitor of a container and the clients that started the container. */
function processesOf(name: string): number[] {
  if (process.platform !== "linux") return [];
  const pids = readdirSync("/proc").map(Number).filter(Number.isInteger);
  return pids.filter((pid) => isOfContainer(pid, name));
}

/** Anybody may run a process that mentions the name: `grep`, or `podman logs --follow`. */
function isOfContainer(pid: number, name: string): boolean {
  const [program = "", ...words] = readProc(`/proc/${pid}/cmdline`)?.split("\0") ?? [];
  const mark = path.basename(program) === MONITOR ? name : `--name=${name}`;
  return RUNTIME.has(path.basename(program)) && words.includes(mark) && userOf(pid) === process.getuid?.();
}

const MONITOR = "conmon";
const RUNTIME: ReadonlySet<string> = new Set([MONITOR, "podman", "docker"]);

/** Returns the user by whose rights a process runs. */
function userOf(pid: number): number | undefined {
  const user = /^Uid:\s+\d+\s+(\d+)/m.exec(readProc(`/proc/${pid}/status`) ?? "")?.[1];
  return user === undefined ? undefined : Number(user);
}

function endWithChildren(pid: number): void {
  const children = readProc(`/proc/${pid}/task/${pid}/children`)?.trim().split(" ").filter(Boolean) ?? [];
  signal(pid, "SIGKILL");
  for (const child of children) endWithChildren(Number(child));
}
