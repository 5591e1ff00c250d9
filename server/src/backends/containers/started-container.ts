import { lstatSync } from "node:fs";
import path from "node:path";
import { containerName, endContainer } from "#backends/containers/end-container";
import { explainedEnd, mayBeOfRuntime } from "#backends/containers/explain-end";
import { handOver } from "#backends/containers/hand-over";
import type { Runtime } from "#backends/containers/runtime";
import { maybeOpenAttemptFile, writeAttemptFile } from "#backends/process/attempt/attempt-file";
import { DamagedAttempt } from "#backends/process/attempt/damaged-attempt";
import { maybeOpenOwn, maybeReadOwn } from "#backends/process/attempt/own-file";
import { maybeJson } from "#plumbing/formats/json";
import { humanSize } from "#plumbing/text/human-size";
import type { Clock } from "#plumbing/clock";
import type { JobEnd } from "#workflow/job/job";
import { isObject } from "#workflow/specification/shape";

/**
 * The runtime that started a container, in a file of the attempt's folder. Every later server reads the file
 * to know which runtime to ask, even if its settings name another runtime. Jobs without containers cost
 * nothing.
 */
interface StartedContainer {
  readonly runtime: Pick<Runtime, "name" | "program">;
  readonly image: string;
  readonly digest: string;
  /** The limit of memory at which the runtime itself ends the job. Absent if the runtime has no limit. */
  readonly memoryBytes?: number | undefined;
  /** The id of the user who owns the job's files. Absent if the files belong to the server's user. */
  readonly makesFilesAs?: number | undefined;
}

const FILE = "container";
/** The keeper also reads the file (measure.ts). */
const PID_FILE = "container.pid";
/** Upper bounds on the sizes of these files. */
const STARTED_MAX_BYTES = 64 * 1024;
const PID_MAX_BYTES = 64;

/** Returns the file for the pid of an attempt's container. */
export function pidFileOf(attemptFolder: string): string {
  return path.join(attemptFolder, PID_FILE);
}

/** Returns the file for the id of an attempt's container, which docker writes. In one of Apptainer, the first program writes a line. */
export function idFileOf(attemptFolder: string): string {
  return path.join(attemptFolder, "container.id");
}

/** Returns whether the runtime has made the container. Docker may still have failed to start it. */
function isMade(attemptFolder: string, { name }: StartedContainer["runtime"]): boolean {
  if (name === "podman") return maybeContainerPid(attemptFolder) !== undefined;
  return (lstatSync(idFileOf(attemptFolder), { throwIfNoEntry: false })?.size ?? 0) > 0;
}

/** Returns the pid of an attempt's container, as written by podman. Docker writes no pid. */
export function maybeContainerPid(attemptFolder: string): number | undefined {
  if (!startedUnlessDamaged(attemptFolder)) return undefined;
  const file = maybeOpenOwn(pidFileOf(attemptFolder), "read");
  if (file === undefined || typeof file === "string") return undefined;
  const pid = Number(maybeReadOwn(file, PID_MAX_BYTES)?.toString("latin1"));
  return Number.isSafeInteger(pid) && pid > 1 ? pid : undefined;
}

/**
 * Writes how the container of an attempt is about to be started. Throws a DamagedAttempt if a job has put anything else in
 * the place of the file.
 */
export function recordContainer(attemptFolder: string, started: StartedContainer): void {
  writeAttemptFile(attemptFolder, FILE, JSON.stringify(started));
}

/** Returns the files of an attempt that a copy of the attempt needs too. */
export function containerFiles(attemptFolder: string): readonly string[] {
  return startedUnlessDamaged(attemptFolder) ? [FILE] : [];
}

interface Attempts {
  /** Holds a folder per attempt. */
  readonly folder: string;
  readonly hostId: string;
  readonly clock: Clock;
}

/** Ends the containers of these jobs, if any. Resolves when all containers are gone. */
export async function endContainers(
  { folder, hostId, clock }: Attempts,
  ids: readonly string[],
): Promise<void> {
  const end = async (id: string) => {
    const started = startedUnlessDamaged(path.join(folder, id));
    if (started) await endContainer(started.runtime, containerName(hostId, id), clock);
  };
  for (let at = 0; at < ids.length; at += CONCURRENT_MAX)
    await Promise.all(ids.slice(at, at + CONCURRENT_MAX).map(end));
}

/** Limit on the calls of a runtime at once: each searches the processes of the machine too. */
const CONCURRENT_MAX = 8;

/**
 * Hands the files of a killed job over to the server's user, if its container made the files as another user.
 */
export async function handOverFiles(attemptFolder: string, workspaceFolder: string): Promise<void> {
  const user = startedUnlessDamaged(attemptFolder)?.makesFilesAs;
  if (user !== undefined) await handOver(workspaceFolder, user);
}

/** Returns whether a job that ended like this may have left a container: the runtime's client did not end by itself. */
export function mayHaveLeftContainer({ reason, exitCode }: JobEnd): boolean {
  return reason !== "exited" || exitCode === null || exitCode >= KILLED_FROM;
}

/** The lowest exit code of a failed runtime or a killed client. */
const KILLED_FROM = 125;

/**
 * Adds the digest of the image to the end of a job, and what the runtime said if it could not start it. Throws a
 * DamagedAttempt if a job has damaged what is known about the container, unless the job is lost already.
 */
export async function withContainer(
  attemptFolder: string,
  end: JobEnd,
  readLogEnd: () => Promise<string>,
): Promise<JobEnd> {
  const started = end.reason === "lost" ? startedUnlessDamaged(attemptFolder) : maybeStarted(attemptFolder);
  if (!started) return end;
  const seen = { ...end, ...(end.usage && { usage: sampledUsage(end.usage) }), imageDigest: started.digest };
  if (started.memoryBytes !== undefined && isKilled(end)) return outOfMemory(seen, started);
  if (end.reason === "not-started" && maybeContainerPid(attemptFolder) !== undefined)
    return { ...seen, reason: "lost", detail: MADE_LATE };
  const log = mayBeOfRuntime(end) ? await readLogEnd() : "";
  const { image, runtime } = started;
  return explainedEnd(seen, { image, runtime: runtime.name, isMade: isMade(attemptFolder, runtime), log });
}

/**
 * The keeper checks for the container before it gives up on a job, but cannot prevent podman from making the
 * container at that moment.
 */
const MADE_LATE = "Podman made the container only at the moment when the job was ended because it had none.";

/** The supervisor has waited for the client of the runtime alone, so that the time of the container was only sampled. */
function sampledUsage(usage: NonNullable<JobEnd["usage"]>): NonNullable<JobEnd["usage"]> {
  const { cpuMs, sampled = [] } = usage;
  return cpuMs === undefined || sampled.includes("cpuMs")
    ? usage
    : { ...usage, sampled: ["cpuMs", ...sampled] };
}

/** The exit code of a container whose first process was killed. */
const KILLED = 137;

/** Returns whether the job was killed from outside this server. */
function isKilled({ reason, exitCode }: JobEnd): boolean {
  return reason === "exited" && exitCode === KILLED;
}

/**
 * Returns the end of a job with a memory limit that was killed. It is taken for out of memory, because the runtime has
 * removed the container together with the reason.
 */
function outOfMemory(end: JobEnd, { runtime, memoryBytes = 0 }: StartedContainer): JobEnd {
  const detail = `Out of memory: ${runtime.name} ended it at its limit of ${humanSize(memoryBytes)}.`;
  return { ...end, reason: "out-of-memory", detail };
}

/** A job in a container cannot reach the file: an attempt with a damaged file has no container. */
function startedUnlessDamaged(attemptFolder: string): StartedContainer | undefined {
  try {
    return maybeStarted(attemptFolder);
  } catch (error) {
    if (error instanceof DamagedAttempt) return undefined;
    throw error;
  }
}

function maybeStarted(attemptFolder: string): StartedContainer | undefined {
  if (!mayExist(path.join(attemptFolder, FILE))) return undefined;
  const file = maybeOpenAttemptFile(attemptFolder, FILE, "read");
  if (!file) return undefined;
  const text = maybeReadOwn(file, STARTED_MAX_BYTES);
  if (!text) throw new DamagedAttempt(FILE, "too-long");
  // A power cut may have left a part of the file. It has also ended every container.
  const started = maybeJson(String(text));
  if (started !== undefined && !isStarted(started)) throw new DamagedAttempt(FILE, "forged");
  return started;
}

function isStarted(value: unknown): value is StartedContainer {
  if (!isObject(value) || !isObject(value["runtime"])) return false;
  const { runtime, image, digest, memoryBytes = 0, makesFilesAs = 0 } = value;
  const { name, program } = runtime;
  const isRuntime = ["podman", "docker", "apptainer"].includes(String(name)) && typeof program === "string";
  const isOfRuntime = isRuntime && path.isAbsolute(program) && path.basename(program) === name;
  return (
    isOfRuntime &&
    [image, digest].every((one) => typeof one === "string") &&
    [memoryBytes, makesFilesAs].every(Number.isFinite)
  );
}

/** Most jobs have no such file, and opening a missing file takes ten times as long. */
function mayExist(file: string): boolean {
  try {
    return lstatSync(file, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return true; // opening it tells what is wrong
  }
}
