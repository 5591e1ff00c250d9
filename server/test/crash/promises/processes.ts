import { readdir, readFile } from "node:fs/promises";
import process from "node:process";
import { setTimeout as delay } from "node:timers/promises";
import { codeOf } from "#plumbing/errors";
import type { Rows } from "./rows.ts";

/**
 * Slots and the keeper exit by themselves once their server has gone. A process that stays longer is left
 * over.
 */
const LEAVE_WITHIN_MS = 20_000;

/**
 * P7: no process of a job is left, and no other process of the server. Processes of jobs are found by the job's mark;
 * slots and the keeper by the data folder, which the test puts into the PATH that they inherit.
 */
export async function leftProcesses(rows: Rows, dataFolder: string): Promise<string[]> {
  const marks = [dataFolder, ...rows.jobs.map((job) => `REPRISE_JOB_ID=${job.id}`)];
  const lastMs = performance.now() + LEAVE_WITHIN_MS;
  for (;;) {
    const left = await processesWith(marks);
    if (left.length === 0 || performance.now() > lastMs) {
      return left.map(({ pid, command }) => `P7: still there: ${pid} ${command}`);
    }
    await delay(50);
  }
}

/** Marks a server and all its processes with the data folder, through the inherited PATH. */
export function marked(dataFolder: string): Readonly<Record<string, string>> {
  return { PATH: `${process.env["PATH"]}:${dataFolder}/none` };
}

interface MarkedProcess {
  readonly pid: number;
  readonly command: string;
}

/** Finds the processes with a marked environment. */
export async function processesWith(marks: readonly string[]): Promise<MarkedProcess[]> {
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  const found = await Promise.all(
    pids.map(async (pid) => {
      const environment = await maybeRead(`/proc/${pid}/environ`);
      if (!marks.some((mark) => environment.includes(mark))) return undefined;
      const command = (await maybeRead(`/proc/${pid}/cmdline`)).replaceAll("\0", " ");
      return { pid: Number(pid), command };
    }),
  );
  return found.filter((one) => one !== undefined);
}

/** Reads a file of /proc. Empty for an ended process, or a process of another user. */
async function maybeRead(file: string): Promise<string> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    if (["ENOENT", "ESRCH", "EACCES", "EPERM"].includes(codeOf(error) ?? "")) return "";
    throw error;
  }
}
