import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import {
  attemptFolder,
  isMarked,
  mark,
  prepareAttempt,
  readClaim,
  readExit,
  readLogBytes,
  removeAttempt,
  scratchFolder,
  takeClaim,
  writeExit,
} from "#backends/local/attempt-folder";
import type { Backend, JobRequest, JobState } from "#backends/backend";
import { endTree } from "#backends/local/end-tree";
import { isAlive } from "#backends/local/process-table";
import type { EndReason, JobEnd } from "#workflow/job";

interface LocalBackendOptions {
  /** Holds a folder per attempt; on one file system, not within any workspace. */
  readonly folder: string;
  readonly bootId: string;
  readonly log: { error(details: object, message: string): void };
}

/** How often a job is looked at that another server's supervisor watches over: it cannot tell us of its end. */
const LOOK_INTERVAL_MS = 200;

const SUPERVISOR = fileURLToPath(new URL("./supervise.sh", import.meta.url));

/**
 * Jobs as processes of this machine, as the user that the server runs as, without a sandbox. Each attempt has a
 * supervisor (supervise.sh) that outlives the server: it claims the attempt, runs the command and records its end.
 */
export function openLocalBackend(options: LocalBackendOptions): Backend {
  const listeners = new Set<(id: string, end: JobEnd) => void>();
  const running = new Set<string>();
  const looks = new Map<string, NodeJS.Timeout>();
  let closed = false;

  function ended(id: string, end: JobEnd): void {
    stopLooking(id);
    if (!running.delete(id)) return;
    for (const listener of listeners) listener(id, end);
  }

  function stopLooking(id: string): void {
    clearTimeout(looks.get(id));
    looks.delete(id);
  }

  async function submit(request: JobRequest): Promise<JobState> {
    const folder = attemptFolder(options.folder, request.id);
    if (running.has(request.id)) return { status: "running" };
    if (request.job.script.includes("\0")) throw new Error("The command holds a NUL character.");
    const isNew = await prepareAttempt(folder, request.job.script);
    const state = isNew ? undefined : await presentState(request.id, folder, request.bootId);
    if (state?.status === "ended") return state;
    running.add(request.id);
    if (state === undefined) await startSupervisor(request, folder);
    else lookAgain(request.id, folder);
    return { status: "running" };
  }

  /**
   * Nothing when the attempt was prepared and never claimed: then it may still be started. After a reboot a missing
   * claim proves nothing (it may not have reached the disk), so the job counts as lost.
   */
  async function presentState(id: string, folder: string, intendedOn: string): Promise<JobState | undefined> {
    const claim = await readClaim(folder);
    if (claim === undefined && intendedOn === options.bootId) return undefined;
    if (claim !== undefined && claim !== "nobody" && (await isAlive(claim, options.bootId))) {
      return { status: "running" };
    }
    const end = await readExit(folder);
    // What escaped from the process group does not outlive a job that was ended by force, or was lost.
    if (end?.reason !== "exited") await endTree([id], folder);
    if (end) return { status: "ended", end };
    return { status: "ended", end: await settle(folder, claim === "nobody" ? "not-started" : "lost") };
  }

  async function settle(folder: string, reason: EndReason): Promise<JobEnd> {
    await takeClaim(folder);
    await writeExit(folder, reason);
    return (await readExit(folder))!;
  }

  function startSupervisor(request: JobRequest, folder: string): Promise<void> {
    const limitSeconds = request.job.timeLimitMs === null ? 0 : request.job.timeLimitMs / 1000;
    const child = spawn(
      "bash",
      ["--norc", SUPERVISOR, request.id, folder, request.workspaceFolder, String(limitSeconds)],
      { detached: true, stdio: "ignore", env: environmentOf(request, folder) },
    );
    child.unref();
    return new Promise((resolve, reject) => {
      child.once("spawn", resolve);
      child.once("error", (error) => {
        running.delete(request.id);
        reject(error);
      });
      child.once("exit", () => void look(request.id, folder));
    });
  }

  function lookAgain(id: string, folder: string): void {
    if (closed || !running.has(id)) return;
    looks.set(
      id,
      setTimeout(() => void look(id, folder), LOOK_INTERVAL_MS),
    );
  }

  async function look(id: string, folder: string): Promise<void> {
    if (closed || !running.has(id)) return;
    try {
      const state = await presentState(id, folder, options.bootId);
      if (state?.status === "running") return lookAgain(id, folder);
      // Its supervisor left without even claiming it: the claim is taken, so that nobody ever will.
      ended(id, state?.end ?? (await settle(folder, "not-started")));
    } catch (error) {
      options.log.error({ err: error, job: id }, "Looking at a job failed; it is tried again.");
      lookAgain(id, folder);
    }
  }

  async function cancel(request: JobRequest): Promise<JobEnd> {
    const folder = attemptFolder(options.folder, request.id);
    if (await takeClaim(folder)) {
      const end = await settle(folder, "not-started");
      ended(request.id, end);
      return end;
    }
    const before = await readExit(folder);
    if (!before) await mark(folder, "cancelled");
    await endTree([request.id], folder);
    const end = (await readExit(folder)) ?? (await settle(folder, await endReason(folder)));
    ended(request.id, end);
    return end;
  }

  async function endReason(folder: string): Promise<EndReason> {
    if ((await readClaim(folder)) === "nobody") return "not-started";
    return (await isMarked(folder, "cancelled")) ? "cancelled" : "lost";
  }

  return {
    name: "Local",
    submit,
    cancel,
    watch(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    readLog: (id, from, maxBytes) => readLogBytes(attemptFolder(options.folder, id), from, maxBytes),
    endLeftovers: (ids) => endTree(ids),
    async remove(ids) {
      await endTree(ids);
      await Promise.all(ids.map((id) => removeAttempt(attemptFolder(options.folder, id))));
    },
    async close() {
      closed = true;
      for (const id of looks.keys()) stopLooking(id);
      listeners.clear();
    },
    runningJobs: () => running.size,
  };
}

/** Only what the job is given: nothing of the server's own environment but the path to programs. */
function environmentOf(request: JobRequest, folder: string): Record<string, string> {
  return {
    PATH: process.env["PATH"] ?? "/usr/local/bin:/usr/bin:/bin",
    HOME: scratchFolder(folder),
    LANG: "C.UTF-8",
    ...request.job.environment,
  };
}
