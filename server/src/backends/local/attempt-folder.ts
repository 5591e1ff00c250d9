import { mkdir, open, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import type { ProcessIdentity } from "#backends/local/process-table";
import { crashPoint } from "#plumbing/crash-points";
import { codeOf } from "#plumbing/errors";
import type { EndReason, JobEnd } from "#workflow/job";

/**
 * What is kept of one attempt, outside the workspace: order (and command.sh when the command is long), claim,
 * group, log, exit, scratch, and the empty marks `cancelled` and `timed-out`. host.sh writes the other side of it.
 */
export function attemptFolder(root: string, id: string): string {
  return path.join(root, id);
}

/** Longer ones do not fit into one argument (128 KiB on Linux). */
const ARGUMENT_BYTES_MAX = 100_000;

export interface Order {
  readonly script: string;
  readonly environment: Readonly<Record<string, string>>;
}

/** Answers false when the attempt was known before. The order is the last thing written, whole or absent. */
export async function prepareAttempt(folder: string, order: Order): Promise<boolean> {
  const isNew = await makeFolder(folder);
  crashPoint("attempt-made");
  if (!isNew && (await maybeRead(path.join(folder, "order"))) !== undefined) return false;
  await makeFolder(scratchFolder(folder));
  const isLong = Buffer.byteLength(order.script) > ARGUMENT_BYTES_MAX;
  if (isLong) await writeFile(path.join(folder, "command.sh"), order.script);
  const pairs = Object.entries({ HOME: scratchFolder(folder), ...order.environment });
  const fields = [isLong ? "" : order.script, ...pairs.map(([name, value]) => `${name}=${value}`)];
  await writeFile(path.join(folder, "order.new"), fields.map((field) => `${field}\0`).join(""));
  crashPoint("order-written");
  await rename(path.join(folder, "order.new"), path.join(folder, "order"));
  crashPoint("order-renamed");
  return isNew;
}

async function makeFolder(folder: string): Promise<boolean> {
  try {
    await mkdir(folder, { mode: 0o700 });
    return true;
  } catch (error) {
    if (codeOf(error) === "EEXIST") return false;
    throw error;
  }
}

/** The job's HOME: outside the workspace, so that what programs drop there is not taken for a result. */
function scratchFolder(folder: string): string {
  return path.join(folder, "scratch");
}

/** Takes the claim in the supervisor's stead. Answers false when somebody has it already. */
export async function takeClaim(folder: string): Promise<boolean> {
  try {
    await makeFolder(folder);
    await writeFile(path.join(folder, "claim"), "nobody - -\n", { flag: "wx" });
    crashPoint("claim-taken");
    return true;
  } catch (error) {
    if (codeOf(error) === "EEXIST") return false;
    throw error;
  }
}

/** `nobody` when the claim was taken so that no supervisor can; nothing when there is none, or not yet a whole line. */
export async function readClaim(folder: string): Promise<ProcessIdentity | "nobody" | undefined> {
  const line = await terminatedLine(path.join(folder, "claim"));
  if (line === undefined) return undefined;
  const [pid, born, bootId] = line.split(" ");
  return pid === "nobody" ? "nobody" : { pid: Number(pid), born: born ?? "-", bootId: bootId ?? "-" };
}

export async function readGroup(folder: string): Promise<number | undefined> {
  const line = await terminatedLine(path.join(folder, "group"));
  return line === undefined ? undefined : Number(line);
}

/** The exit record with its times, which are those of the files: claiming begins a job, the record ends it. */
export async function readExit(folder: string): Promise<JobEnd | undefined> {
  const line = await terminatedLine(path.join(folder, "exit"));
  if (line === undefined) return undefined;
  const [reason, code] = line.split(" ");
  const claimed = await stat(path.join(folder, "claim"));
  const exited = await stat(path.join(folder, "exit"));
  return {
    reason: reason as EndReason,
    exitCode: code === "-" ? null : Number(code),
    startedAtMs: Math.round(claimed.mtimeMs),
    endedAtMs: Math.round(exited.mtimeMs),
  };
}

/** For an end that no supervisor wrote: written once, so that every later look finds the same. */
export async function writeExit(folder: string, reason: EndReason): Promise<void> {
  await writeFile(path.join(folder, "exit"), `${reason} -\n`);
  crashPoint("exit-written");
}

export async function mark(folder: string, name: "cancelled"): Promise<void> {
  await writeFile(path.join(folder, name), "");
  crashPoint("cancel-marked");
}

export async function isMarked(folder: string, name: "cancelled"): Promise<boolean> {
  return (await maybeRead(path.join(folder, name))) !== undefined;
}

export async function readLogBytes(folder: string, from: number, maxBytes: number): Promise<Buffer> {
  const file = await maybeOpen(path.join(folder, "log"));
  if (!file) return Buffer.alloc(0);
  try {
    const { size } = await file.stat();
    const start = from < 0 ? Math.max(0, size + from) : Math.min(from, size);
    const buffer = Buffer.alloc(Math.min(maxBytes, size - start));
    const { bytesRead } = await file.read(buffer, 0, buffer.length, start);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}

export async function removeAttempt(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  crashPoint("attempt-removed");
}

async function terminatedLine(file: string): Promise<string | undefined> {
  const text = await maybeRead(file);
  return text?.endsWith("\n") ? text.slice(0, -1) : undefined;
}

async function maybeRead(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw error;
  }
}

async function maybeOpen(file: string) {
  try {
    return await open(file, "r");
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw error;
  }
}
