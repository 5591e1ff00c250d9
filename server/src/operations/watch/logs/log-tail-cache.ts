import type { JobLogs, LogAddress } from "#operations/stored-logs";

/** Longest tail that is cached. Most whole logs are shorter; longer tails are read each time. */
const TAIL_MAX_BYTES = 4096;
/** Maximum number of cached tails: some megabytes in total. */
const CACHED_MAX = 2000;

interface Tail {
  /** Length of the log at the time of reading. The tail is valid until the log grows. */
  readonly size: number;
  readonly bytes: Buffer;
}

/**
 * Caches the tails of logs that were read. A client that polls the status of a run asks for the tails of a hundred logs
 * each time, and hardly any log has grown: asking for a size is a tenth of the work of reading.
 */
export function cachingLogTails(logs: JobLogs): JobLogs {
  const cached = new Map<string, Tail>();

  async function tail(address: LogAddress, size: number): Promise<Buffer> {
    const known = cached.get(address);
    if (known?.size === size) return known.bytes;
    const bytes = await logs.read(
      address,
      Math.max(0, size - TAIL_MAX_BYTES),
      Math.min(size, TAIL_MAX_BYTES),
    );
    cache(address, { size, bytes });
    return bytes;
  }

  function cache(address: LogAddress, read: Tail): void {
    cached.delete(address);
    cached.set(address, read);
    const [oldest] = cached.keys();
    if (cached.size > CACHED_MAX) cached.delete(oldest!);
  }

  return {
    ...logs,
    async read(address, from, maxBytes) {
      if (from >= 0) return logs.read(address, from, maxBytes);
      const size = await logs.size(address);
      if (Math.min(-from, size) > TAIL_MAX_BYTES) return logs.read(address, from, maxBytes);
      const bytes = await tail(address, size);
      return bytes.subarray(Math.max(0, bytes.length + from)).subarray(0, maxBytes);
    },
    async remove(addresses) {
      for (const id of addresses) cached.delete(id);
      await logs.remove(addresses);
    },
  };
}
