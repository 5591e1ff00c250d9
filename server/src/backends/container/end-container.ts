import { createHash } from "node:crypto";
import { readdirSync } from "node:fs";
import process from "node:process";
import { failureOf, runProgram } from "#backends/container/run-program";
import type { Runtime } from "#backends/container/runtime";
import type { Clock } from "#plumbing/clock";
import { readProc, signal } from "#backends/local/processes/process-table";

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
/** A monitor cleans up by itself. One that takes longer knows a container that the runtime does not. */
const KILL_AFTER_MS = 2000;
const GIVE_UP_AFTER_MS = 20_000;

/** Ends a container, and resolves when neither the container nor any process of its runtime is left. */
export async function endContainer(
  { name: runtime, program }: Pick<Runtime, "name" | "program">,
  name: string,
  clock: Clock,
): Promise<void> {
  const words =
    runtime === "podman" ? ["rm", "--force", "--ignore", "--time=0", name] : ["rm", "--force", name];
  const beganAtMs = clock.elapsedMs();
  for (;;) {
    const removed = await runProgram([program, ...words], { timeoutMs: REMOVE_TIMEOUT_MS });
    const isGone = removed.code === 0 || /no such container/i.test(removed.stderr);
    const left = processesNaming(name);
    if (isGone && left.length === 0) return;
    const passedMs = clock.elapsedMs() - beganAtMs;
    if (passedMs > GIVE_UP_AFTER_MS)
      throw new Error(`The container ${name} could not be removed by ${runtime}: ${failureOf(removed)}`);
    if (passedMs > KILL_AFTER_MS) for (const pid of left) endWithChildren(pid);
    await new Promise<void>((resolve) => clock.after(LOOK_INTERVAL_MS, resolve));
  }
}

/** Returns the processes that have the name among their arguments: the monitor, and clients of the runtime. */
function processesNaming(name: string): number[] {
  if (process.platform !== "linux") return [];
  const pids = readdirSync("/proc")
    .map(Number)
    .filter((pid) => Number.isInteger(pid) && pid !== process.pid);
  return pids.filter((pid) => readProc(`/proc/${pid}/cmdline`)?.includes(name));
}

function endWithChildren(pid: number): void {
  const children = readProc(`/proc/${pid}/task/${pid}/children`)?.trim().split(" ").filter(Boolean) ?? [];
  signal(pid, "SIGKILL");
  for (const child of children) endWithChildren(Number(child));
}
