import {
  attemptFolder,
  isMarked,
  mark,
  prepareAttempt,
  readClaim,
  readExit,
  readLogBytes,
  removeAttempt,
  takeClaim,
  writeExit,
} from "#backends/local/attempt-folder";
import type { Backend, JobRequest, JobState } from "#backends/backend";
import { endTree } from "#backends/local/end-tree";
import { createJobHost } from "#backends/local/job-host";
import { isAlive } from "#backends/local/process-table";
import { crashPoint } from "#plumbing/crash-points";
import type { EndReason, JobEnd } from "#workflow/job";

interface LocalBackendOptions {
  /** Holds a folder per attempt; on one file system, not within any workspace. */
  readonly folder: string;
  readonly bootId: string;
  readonly log: { error(details: object, message: string): void };
}

/**
 * How often running jobs are looked at whose end nobody would tell: another server's, and those whose supervisor was
 * killed.
 */
const LOOK_INTERVAL_MS = 250;

/** What bash takes for the name of a variable. */
const VARIABLE_NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

/**
 * Jobs as processes of this machine, as the user that the server runs as, without a sandbox. Each attempt has a
 * supervisor (host.sh) that outlives the server: it claims the attempt, runs the command and records its end.
 */
export function openLocalBackend(options: LocalBackendOptions): Backend {
  const listeners = new Set<(id: string, end: JobEnd) => void>();
  const running = new Map<string, JobRequest>();
  const looking = new Set<string>();
  const host = createJobHost((id) => void look(id));
  let timer: NodeJS.Timeout | undefined;
  let closed = false;

  function ended(id: string, end: JobEnd): void {
    if (!running.delete(id)) return;
    crashPoint("exit-seen");
    for (const listener of listeners) listener(id, end);
  }

  async function submit(request: JobRequest): Promise<JobState> {
    const folder = attemptFolder(options.folder, request.id);
    if (running.has(request.id)) return { status: "running" };
    refuseUnspeakable(request);
    const isNew = await prepareAttempt(folder, request.job);
    const state = isNew ? undefined : await presentState(request.id, folder, request.bootId);
    if (state?.status === "ended") return state;
    running.set(request.id, request);
    if (state === undefined) await order(request);
    timer ??= setTimeout(() => void lookAtAll(), LOOK_INTERVAL_MS);
    return { status: "running" };
  }

  async function order(request: JobRequest): Promise<void> {
    const { id, workspaceFolder, job } = request;
    const folder = attemptFolder(options.folder, id);
    try {
      await host.run({ id, folder, workspaceFolder, timeLimitMs: job.timeLimitMs });
    } catch (error) {
      running.delete(id);
      throw error;
    }
  }

  /**
   * Nothing when the attempt was prepared and never claimed: then it may still be started. After a reboot a missing
   * claim proves nothing (it may not have reached the disk), so the job counts as lost.
   */
  async function presentState(id: string, folder: string, intendedOn: string): Promise<JobState | undefined> {
    const before = await readExit(folder);
    if (before) return { status: "ended", end: await withoutLeftovers(id, before) };
    const claim = await readClaim(folder);
    if (claim === undefined && intendedOn === options.bootId) return undefined;
    if (claim !== undefined && claim !== "nobody" && (await isAlive(claim, options.bootId))) {
      crashPoint("claim-seen");
      return { status: "running" };
    }
    // The record may have been written between the two looks.
    const end =
      (await readExit(folder)) ?? (await settle(folder, claim === "nobody" ? "not-started" : "lost"));
    return { status: "ended", end: await withoutLeftovers(id, end) };
  }

  /** What escaped from the process group does not outlive a job that was ended by force, or was lost. */
  async function withoutLeftovers(id: string, end: JobEnd): Promise<JobEnd> {
    if (end.reason !== "exited") await endTree([id]);
    return end;
  }

  async function settle(folder: string, reason: EndReason): Promise<JobEnd> {
    await takeClaim(folder);
    await writeExit(folder, reason);
    return (await readExit(folder))!;
  }

  async function lookAtAll(): Promise<void> {
    for (const id of running.keys()) await look(id);
    timer = undefined;
    if (!closed && running.size > 0) timer = setTimeout(() => void lookAtAll(), LOOK_INTERVAL_MS);
  }

  async function look(id: string): Promise<void> {
    const request = running.get(id);
    if (closed || !request || looking.has(id)) return;
    looking.add(id);
    try {
      const state = await presentState(id, attemptFolder(options.folder, id), options.bootId);
      // Nobody claimed it: its host died, or has not come to it yet. Ordered twice it still runs once.
      if (state === undefined) await order(request);
      else if (state.status === "ended") ended(id, state.end);
    } catch (error) {
      options.log.error({ err: error, job: id }, "Looking at a job failed; it is tried again.");
    } finally {
      looking.delete(id);
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
    isHostBound: true,
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
      clearTimeout(timer);
      host.close();
      listeners.clear();
    },
    runningJobs: () => running.size,
  };
}

/** What cannot be said to a shell is refused before anything is started. */
function refuseUnspeakable({ job }: JobRequest): void {
  if (job.script.includes("\0")) throw new Error("The command holds a NUL character.");
  for (const [name, value] of Object.entries(job.environment)) {
    if (!VARIABLE_NAME.test(name))
      throw new Error(`"${name}" cannot be the name of an environment variable.`);
    if (value.includes("\0")) throw new Error(`The environment variable ${name} holds a NUL character.`);
  }
}
