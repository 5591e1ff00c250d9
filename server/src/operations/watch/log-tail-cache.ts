import type { JobLogs } from "#operations/context";

/** Longest tail that is cached. Most whole logs are shorter; longer tails are read each time. */
const TAIL_MAX_BYTES = 4096;
/** Maximum number of cached tails: some megabytes in total. */
const CACHED_MAX = 2000;

interface Tail {
  /** Length of the log when it was read. As long as the log has not grown, its tail is the same. */
  readonly size: number;
  readonly bytes: Buffer;
}

/**
 * Caches the tails of logs that were read. A client that polls the status of a run asks for the tails of a hundred logs
 * each time, and hardly any log has grown: asking for a size is a tenth of the work of reading.
 */
export function cachingLogTails(logs: JobLogs): JobLogs {
  const cached = new Map<string, Tail>();

  async function tail(jobId: string, size: number): Promise<Buffer> {
    const known = cached.get(jobId);
    if (known?.size === size) return known.bytes;
    const bytes = await logs.read(jobId, Math.max(0, size - TAIL_MAX_BYTES), Math.min(size, TAIL_MAX_BYTES));
    cache(jobId, { size, bytes });
    return bytes;
  }

  function cache(jobId: string, read: Tail): void {
    cached.delete(jobId);
    cached.set(jobId, read);
    const [oldest] = cached.keys();
    if (cached.size > CACHED_MAX) cached.delete(oldest!);
  }

  return {
    ...logs,
    async read(jobId, from, maxBytes) {
      if (from >= 0) return logs.read(jobId, from, maxBytes);
      const size = await logs.size(jobId);
      if (Math.min(-from, size) > TAIL_MAX_BYTES) return logs.read(jobId, from, maxBytes);
      const bytes = await tail(jobId, size);
      return bytes.subarray(Math.max(0, bytes.length + from)).subarray(0, maxBytes);
    },
    async remove(jobIds) {
      for (const id of jobIds) cached.delete(id);
      await logs.remove(jobIds);
    },
  };
}
