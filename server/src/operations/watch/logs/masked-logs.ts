import type { WatchServices } from "#operations/watch/services";
import type { JobLogs } from "#operations/stored-logs";
import type { Mask } from "#plumbing/secrets/mask";

type Reading = Pick<JobLogs, "read" | "size">;

/**
 * Returns a reader of the user's job logs that masks the user's secrets. Masking happens on reading. Each read extends
 * beyond the requested range, so that a secret across its edge is found.
 */
export function maskedLogs(
  { jobLogs, secrets }: Pick<WatchServices, "jobLogs" | "secrets">,
  userId: string,
): Reading {
  let mask: Promise<Mask> | undefined;
  return {
    size: (address) => jobLogs.size(address),
    async read(address, from, maxBytes) {
      const { reach, apply } = await (mask ??= secrets.mask(userId));
      if (reach === 0) return jobLogs.read(address, from, maxBytes);
      const start = from < 0 ? Math.max(0, (await jobLogs.size(address)) + from) : from;
      const before = Math.min(start, reach);
      const wanted = before + maxBytes + reach;
      const bytes = await jobLogs.read(address, start - before, wanted);
      return apply(bytes, bytes.length < wanted).subarray(before, before + maxBytes);
    },
  };
}
