import type { Policy } from "../../api/admin-asks.ts";
import { bytesText, duration } from "../../parts/times.ts";

/** Returns what a policy allows: `500 GiB of disk · 20 runs at once`. Returns an empty text for an empty policy. */
export function policyText({ cpu_ms, wall_ms, disk_bytes, max_runs, images }: Omit<Policy, "group">): string {
  const limits = [
    limited(cpu_ms, duration, "of processor time"),
    limited(wall_ms, duration, "of wall clock"),
    limited(disk_bytes, bytesText, "of disk"),
    limited(max_runs, String, "runs at once"),
  ];
  const shownImages = images && (images.length === 0 ? "no images" : `images ${images.join(", ")}`);
  return [...limits, shownImages].filter((part) => typeof part === "string").join(" · ");
}

/** The limit 0 allows any amount. */
function limited(
  limit: number | null | undefined,
  textOf: (limit: number) => string,
  what: string,
): string | undefined {
  if (limit === null || limit === undefined) return undefined;
  return limit === 0 ? `any amount ${what}` : `${textOf(limit)} ${what}`;
}
