import { closeSync, lstatSync, writeFileSync } from "node:fs";
import path from "node:path";
import { maybeOpenAttemptFile } from "#backends/process/attempt/attempt-file";
import { DamagedAttempt, damageSentence, replaceRecord } from "#backends/process/attempt/damaged-attempt";
import { maybeReadOwn } from "#backends/process/attempt/own-file";
import {
  type AttemptRecord,
  damagedRecord,
  type Mark,
  parseRecord,
  seconds,
  wholeLines,
} from "#backends/process/attempt/record-lines";
import { crashPoint } from "#plumbing/crash-points";
import { humanSize } from "#plumbing/text/human-size";
import type { EndReason, JobEnd, SampledValue } from "#workflow/job/job";

/** Larger than any record written by Reprise: each successive keeper or server adds some hundred bytes. */
export const RECORD_MAX_BYTES = 64 * 1024;

/** Reads a record. Throws a DamagedAttempt if Reprise has not written the record. */
export function readRecord(folder: string): AttemptRecord {
  return parseRecord(wholeLines(recordText(folder) ?? ""));
}

/** Returns the text of the record, or undefined if the record does not exist. */
export function recordText(folder: string): string | undefined {
  const file = maybeOpenAttemptFile(folder, "record", "read");
  if (!file) return undefined;
  const text = maybeReadOwn(file, RECORD_MAX_BYTES);
  if (!text) throw new DamagedAttempt("record", "too-long");
  return text.toString("latin1");
}

/** Returns how the job ended, if it has. The clock may have been set back, so the end is never before the start. */
export function endIn(folder: string, record = readRecord(folder)): JobEnd | undefined {
  const { ended, damage } = record;
  if (!ended) return undefined;
  const startedAtMs = record.owner === "nobody" ? null : (record.startedAtMs ?? madeAtMs(folder));
  const endedAtMs = ended.atMs ?? changedAtMs(folder);
  const reason = reasonOf(record, ended.code);
  const usage = usageIn(record);
  return {
    reason,
    exitCode: damage || reason === "not-started" ? null : ended.code,
    startedAtMs,
    endedAtMs: Math.max(endedAtMs, startedAtMs ?? 0),
    ...(isOverLimit(reason) && { detail: SENTENCES[reason](record) }),
    ...(record.mark === "not-started" && { detail: NOT_MADE }),
    ...(damage && { detail: damageSentence(damage.place, damage.found) }),
    ...(Object.keys(usage).length > 0 && { usage }),
  };
}

function usageIn(record: AttemptRecord): NonNullable<JobEnd["usage"]> {
  const { used, isUsedExact, seenCpuMs, spentCpuMs, peakBytes, gpuBusyMs, gpuPeakBytes } = record;
  const cpuMs = cpuMsIn(record);
  const heldBytes = record.mark === "out-of-memory" ? used : 0;
  // The sampled peak counts pages that processes share once for each process.
  const mostBytes = isUsedExact ? heldBytes : Math.max(heldBytes, peakBytes ?? 0);
  const sampled: SampledValue[] = [
    ...(seenCpuMs === undefined && spentCpuMs === undefined ? [] : (["cpuMs"] as const)),
    ...(mostBytes === 0 || isUsedExact ? [] : (["peakBytes"] as const)),
  ];
  return {
    ...(cpuMs !== undefined && { cpuMs }),
    ...(mostBytes > 0 && { peakBytes: mostBytes }),
    ...(gpuBusyMs !== undefined && { gpuMs: gpuBusyMs }),
    ...(gpuPeakBytes !== undefined && { gpuPeakBytes }),
    ...(sampled.length > 0 && { sampled }),
  };
}

const NOT_MADE =
  "Podman did not make the container in time: its monitor (conmon) hangs, as it does if one of its helpers was killed.";

const SENTENCES = {
  "time-limit": ({ maxTicks }) => `The limit is ${maxTicks / 100} s.`,
  "output-limit": ({ maxOutputBytes }) => `The limit is ${humanSize(maxOutputBytes)}.`,
  "out-of-memory": ({ used, maxMemoryBytes }) =>
    `Out of memory: used ${humanSize(used)} of ${humanSize(maxMemoryBytes)}.`,
  "process-limit": ({ used, maxProcesses }) =>
    `Too many processes: had ${used} at once, and may have ${maxProcesses}.`,
  "disk-limit": ({ used, maxDiskBytes }) =>
    `It wrote ${humanSize(used)} to disk; the limit is ${humanSize(maxDiskBytes)}.`,
  "file-limit": ({ maxFiles }) =>
    `Too many files: more than ${maxFiles} in its workspace, its home and /tmp.`,
} satisfies Partial<Record<EndReason, (record: AttemptRecord) => string>>;

function isOverLimit(reason: EndReason): reason is keyof typeof SENTENCES {
  return Object.hasOwn(SENTENCES, reason);
}

function reasonOf(record: AttemptRecord, code: number | null): EndReason {
  if (record.damage) return "lost";
  if (record.owner === "nobody") return "not-started";
  return record.mark ?? (code === null ? "lost" : "exited");
}

function madeAtMs(folder: string): number {
  return Math.round(lstatSync(recordFile(folder)).birthtimeMs);
}

function changedAtMs(folder: string): number {
  return Math.round(lstatSync(recordFile(folder)).mtimeMs);
}

/**
 * Keeps every supervisor from starting, unless a supervisor has started. Returns whether the claim for nobody
 * holds.
 */
export function claimForNobody(folder: string, atMs: number): boolean {
  const { owner } = readRecord(folder);
  if (owner !== undefined) return owner === "nobody";
  append(folder, `claimed nobody - - ${seconds(atMs)} - 0 0 .`);
  crashPoint("claim-taken");
  return readRecord(folder).owner === "nobody";
}

export function mark(folder: string, reason: Mark): void {
  append(folder, `marked ${reason} .`);
  crashPoint("cancel-marked");
}

/** Returns the processor time of a job, as summed up by the supervisor or seen by the server. */
function cpuMsIn({ cpuMs, seenCpuMs, spentCpuMs }: AttemptRecord): number | undefined {
  const known = [cpuMs, seenCpuMs, spentCpuMs].some((ms) => ms !== undefined);
  return known ? Math.max((cpuMs ?? 0) + (seenCpuMs ?? 0), spentCpuMs ?? 0) : undefined;
}

/** Records the processor time of a job that is about to be ended. */
export function recordCpu(folder: string, cpuMs: number): void {
  if (cpuMs > 0) append(folder, `spent ${cpuMs} .`);
}

/** Records an end that no supervisor has written or will write. */
export function recordEnd(folder: string, atMs: number): JobEnd {
  append(folder, `ended - ${seconds(atMs)} .`);
  crashPoint("exit-written");
  return endIn(folder)!;
}

/** Replaces the record of an attempt whose files were damaged with a record about the damage. */
export function recordDamage(folder: string, damage: DamagedAttempt, atMs: number): JobEnd {
  replaceRecord(folder, damagedRecord(damage, atMs));
  crashPoint("damage-recorded");
  return endIn(folder)!;
}

function append(folder: string, line: string): void {
  const file = maybeOpenAttemptFile(folder, "record", "append");
  if (!file) throw new DamagedAttempt("folder", "gone");
  try {
    writeFileSync(file.fd, `\n${line}\n`);
  } finally {
    closeSync(file.fd);
  }
}

function recordFile(folder: string): string {
  return path.join(folder, "record");
}
