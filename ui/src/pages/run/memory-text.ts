import type { Job } from "../../api/run-asks.ts";
import { bytesText } from "../../parts/times.ts";

/** Returns the peak memory of a job beside its limit: `65 MiB of 256 MiB`. Undefined if it has neither. */
export function memoryText({
  peak_bytes: peak,
  memory_limit_bytes: limit,
}: Pick<Job["usage"], "peak_bytes" | "memory_limit_bytes">): string | undefined {
  if (limit === null) return peak === null ? undefined : bytesText(peak);
  return peak === null ? `up to ${bytesText(limit)}` : `${bytesText(peak)} of ${bytesText(limit)}`;
}
