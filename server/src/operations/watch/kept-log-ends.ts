import type { JobLogs } from "#operations/context";

/** Longest end that is kept. Most whole logs are shorter; longer ends are read each time. */
const END_MAX_BYTES = 4096;
/** Maximum number of kept ends: some megabytes in total. */
const KEPT_MAX = 2000;

interface KeptEnd {
  /** Length of the log when it was read. As long as the log has not grown, its end is the same. */
  readonly size: number;
  readonly end: Buffer;
}

/**
 * Keeps the ends of logs that were read. A client that polls the status of a run asks for the ends of a hundred logs
 * each time, and hardly any log has grown: asking for a size is a tenth of the work of reading.
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
