import type { Job } from "../../../api/run-asks.ts";

/** Average use of the jobs in each of equal slots of time. */
export interface Load {
  /** Processors. */
  readonly cores: readonly number[];
  readonly bytes: readonly number[];
  /** Busy GPUs. */
  readonly gpus: readonly number[];
  readonly gpuBytes: readonly number[];
}

/** A job with measured usage. Usage is measured when a job ends. */
interface Measured {
  readonly fromMs: number;
  readonly toMs: number;
  readonly rates: Readonly<Record<keyof Load, number>>;
}

const KINDS = ["cores", "bytes", "gpus", "gpuBytes"] as const satisfies readonly (keyof Load)[];

/** Spreads the usage of each job evenly over its working time. */
export function loadOf(
  jobs: readonly Job[],
  { beginMs, totalMs }: { readonly beginMs: number; readonly totalMs: number },
  slots: number,
): Load {
  const empty = () => Array.from({ length: slots }, () => 0);
  const load = { cores: empty(), bytes: empty(), gpus: empty(), gpuBytes: empty() };
  const slotMs = totalMs / slots;
  for (const job of jobs.flatMap((one) => measured(one) ?? [])) {
    const last = Math.min(slots - 1, Math.floor((job.toMs - beginMs) / slotMs));
    for (let slot = Math.max(0, Math.floor((job.fromMs - beginMs) / slotMs)); slot <= last; slot += 1) {
      const slotFromMs = beginMs + slot * slotMs;
      const insideMs = Math.min(job.toMs, slotFromMs + slotMs) - Math.max(job.fromMs, slotFromMs);
      for (const kind of KINDS) load[kind][slot]! += (job.rates[kind] * insideMs) / slotMs;
    }
  }
  return load;
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
    rates: {
      cores: (usage.cpu_ms ?? 0) / (finished - started),
      bytes: usage.peak_bytes ?? 0,
      gpus: (usage.gpu_ms ?? 0) / (finished - started),
      gpuBytes: usage.gpu_peak_bytes ?? 0,
    },
  };
}
