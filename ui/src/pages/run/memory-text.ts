import type { Job } from "../../api/run-asks.ts";
import { bytesText } from "../../parts/times.ts";

/**
 * Returns the peak memory of a job beside its limit: `65 MiB of 256 MiB`, or `≥ 65 MiB of 256 MiB` if it was measured at
 * intervals only. Undefined if it has neither.
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
