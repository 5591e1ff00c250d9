import type { JobLogs } from "#operations/context";

/** Most logs are shorter, as a whole; longer ends are read each time. */
const END_MAX_BYTES = 4096;
/** Together some megabytes at most. */
const KEPT_MAX = 2000;

interface KeptEnd {
  /** How long the log was: as long as it has not grown, its end is the same. */
  readonly size: number;
  readonly end: Buffer;
}

/**
 * Keeps the ends of logs that were asked for. Who polls the status of a run asks for the ends of a hundred logs, again and
 * again, of which hardly one has grown: asking for a size is a tenth of the work of reading.
 */
export function keepingLogEnds(logs: JobLogs): JobLogs {
  const kept = new Map<string, KeptEnd>();

  async function end(jobId: string, size: number): Promise<Buffer> {
    const known = kept.get(jobId);
    if (known?.size === size) return known.end;
    const bytes = await logs.read(jobId, Math.max(0, size - END_MAX_BYTES), Math.min(size, END_MAX_BYTES));
    keep(jobId, { size, end: bytes });
    return bytes;
  }

  function keep(jobId: string, read: KeptEnd): void {
    kept.delete(jobId);
    kept.set(jobId, read);
    const [oldest] = kept.keys();
    if (kept.size > KEPT_MAX) kept.delete(oldest!);
  }

  return {
    ...logs,
    async read(jobId, from, maxBytes) {
      if (from >= 0) return logs.read(jobId, from, maxBytes);
      const size = await logs.size(jobId);
      if (Math.min(-from, size) > END_MAX_BYTES) return logs.read(jobId, from, maxBytes);
      const bytes = await end(jobId, size);
      return bytes.subarray(Math.max(0, bytes.length + from)).subarray(0, maxBytes);
    },
    async remove(jobIds) {
      for (const id of jobIds) kept.delete(id);
      await logs.remove(jobIds);
    },
  };
}
