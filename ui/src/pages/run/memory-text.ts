import type { Job } from "../../api/run-asks.ts";
import { bytesText } from "../../parts/times.ts";

/**
 * Formats the peak memory of a job with its limit: `65 MiB of 256 MiB`, `≥ 65 MiB of 256 MiB` if the peak was
 * measured only at intervals, or `up to 256 MiB` without a peak. Undefined if both are unknown.
 */
export function memoryText({
  peak_bytes: peak,
  memory_limit_bytes: limit,
  sampled,
}: Pick<Job["usage"], "peak_bytes" | "memory_limit_bytes" | "sampled">): string | undefined {
  if (peak === null) return limit === null ? undefined : `up to ${bytesText(limit)}`;
  const used = `${sampled.includes("peak_bytes") ? "≥ " : ""}${bytesText(peak)}`;
  return limit === null ? used : `${used} of ${bytesText(limit)}`;
}
