import type { JobLogs, Operations } from "#operations/context";
import type { Mask } from "#plumbing/mask";

type Reading = Pick<JobLogs, "read" | "size">;

/**
 * What the jobs of a user have printed, without the user's secrets. They are masked when it is read, and what is read
 * reaches so far beyond what was asked for that a secret is found that lies across an edge.
 */
export function maskedLogs(
  { jobLogs, secrets }: Pick<Operations, "jobLogs" | "secrets">,
  userId: string,
): Reading {
  let mask: Promise<Mask> | undefined;
  return {
    size: (jobId) => jobLogs.size(jobId),
    async read(jobId, from, maxBytes) {
      const { reach, apply } = await (mask ??= secrets.mask(userId));
      if (reach === 0) return jobLogs.read(jobId, from, maxBytes);
      const start = from < 0 ? Math.max(0, (await jobLogs.size(jobId)) + from) : from;
      const before = Math.min(start, reach);
      const wanted = before + maxBytes + reach;
      const bytes = await jobLogs.read(jobId, start - before, wanted);
      return apply(bytes, bytes.length < wanted).subarray(before, before + maxBytes);
    },
  };
}
