import type { JobLogs, Operations } from "#operations/context";
import { mask } from "#plumbing/mask";

type Reading = Pick<JobLogs, "read" | "size">;

/**
 * What the jobs of a user have printed, without the user's secrets. They are masked when it is read, and what is read
 * reaches so far beyond what was asked for that a secret is found that lies across an edge.
 */
export function maskedLogs(
  { jobLogs, secrets }: Pick<Operations, "jobLogs" | "secrets">,
  userId: string,
): Reading {
  let masks: Promise<readonly Buffer[]> | undefined;
  const wholeSecrets = () => (masks ??= secrets.masks(userId));
  return {
    size: (jobId) => jobLogs.size(jobId),
    async read(jobId, from, maxBytes) {
      const hidden = await wholeSecrets();
      if (hidden.length === 0) return jobLogs.read(jobId, from, maxBytes);
      const reach = Math.max(...hidden.map((secret) => secret.length)) - 1;
      const start = from < 0 ? Math.max(0, (await jobLogs.size(jobId)) + from) : from;
      const before = Math.min(start, reach);
      const wanted = before + maxBytes + reach;
      const bytes = await jobLogs.read(jobId, start - before, wanted);
      return mask(bytes, hidden, bytes.length < wanted).subarray(before, before + maxBytes);
    },
  };
}
