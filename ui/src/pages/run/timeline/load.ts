import type { Job } from "../../../api/run-asks.ts";

/** Average use of the jobs in each of equal slots of time. */
export interface Load {
  /** Processors. */
  readonly cores: readonly number[];
  readonly bytes: readonly number[];
}

/** A job with measured usage. Usage is measured when a job ends. */
interface Measured {
  readonly fromMs: number;
  readonly toMs: number;
  readonly cores: number;
  readonly bytes: number;
}

/** Spreads the usage of each job evenly over its working time. */
export function loadOf(
  jobs: readonly Job[],
  { beginMs, totalMs }: { readonly beginMs: number; readonly totalMs: number },
  slots: number,
): Load {
  const empty = () => Array.from({ length: slots }, () => 0);
  const [cores, bytes] = [empty(), empty()];
  const slotMs = totalMs / slots;
  for (const job of jobs.flatMap((one) => measured(one) ?? [])) {
    const last = Math.min(slots - 1, Math.floor((job.toMs - beginMs) / slotMs));
    for (let slot = Math.max(0, Math.floor((job.fromMs - beginMs) / slotMs)); slot <= last; slot += 1) {
      const slotFromMs = beginMs + slot * slotMs;
      const insideMs = Math.min(job.toMs, slotFromMs + slotMs) - Math.max(job.fromMs, slotFromMs);
      cores[slot]! += (job.cores * insideMs) / slotMs;
      bytes[slot]! += (job.bytes * insideMs) / slotMs;
    }
  }
  return { cores, bytes };
}

function measured({
  times_ms: { started, finished },
  usage,
  taken_from: takenFrom,
}: Job): Measured | undefined {
  if (started === null || finished === null || takenFrom !== null || finished <= started) return undefined;
  return {
    fromMs: started,
    toMs: finished,
    cores: (usage.cpu_ms ?? 0) / (finished - started),
    bytes: usage.peak_bytes ?? 0,
  };
}
