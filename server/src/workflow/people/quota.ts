import { DAY_MS } from "#plumbing/clock";
import { humanSize } from "#plumbing/text/human-size";
import { humanTime } from "#plumbing/text/human-time";

/** Quotas: the total use allowed to a user. */

/** Processor time in milliseconds, disk space in bytes, and wall clock of runs in milliseconds. */
export const RESOURCES = ["cpu", "disk", "wall"] as const;

export type Resource = (typeof RESOURCES)[number];

/** Use and limit of a resource. */
export interface ResourceUse {
  readonly used: number;
  /** Undefined without a limit. */
  readonly limit: number | undefined;
}

/** REANA's three levels: below 80 % of the limit, from there on, and at the limit or above. */
export type QuotaHealth = "healthy" | "warning" | "critical";

const WARNING_PERCENT = 80;

export function healthOf({ used, limit }: { readonly used: number; readonly limit: number }): QuotaHealth {
  const percent = percentOf(used, limit);
  if (percent >= 100) return "critical";
  return percent >= WARNING_PERCENT ? "warning" : "healthy";
}

function percentOf(used: number, limit: number): number {
  return limit === 0 ? Infinity : (used / limit) * 100;
}

/** Returns whether a use has reached its limit: no further run or job may start. */
function isUsedUp({ used, limit }: ResourceUse): boolean {
  return limit !== undefined && used >= limit;
}

export function humanAmount(resource: Resource, amount: number): string {
  return resource === "disk" ? humanSize(amount) : humanTime(amount);
}

const WAYS_OUT: Readonly<Record<Resource, string>> = {
  cpu: "Ask the administrator of this server for more processor time.",
  disk: "Delete files or runs that you no longer need, or ask the administrator of this server for more space.",
  wall: "Ask the administrator of this server for more run time.",
};

/** Returns REANA's sentence about a used-up resource, with advice on the next step. */
export function usedUpSentence(
  resource: Resource,
  use: { readonly used: number; readonly limit: number },
): string {
  const [used, limit] = [use.used, use.limit].map((amount) => humanAmount(resource, amount));
  const percent = Math.round(percentOf(use.used, use.limit));
  return (
    `User quota exceeded.\nResource: ${resource}, usage: ${used} out of ${limit} used (${percent}%)\n` +
    WAYS_OUT[resource]
  );
}

/** Returns `usedUpSentence` if a use has reached the limit. */
export function maybeUsedUpSentence(
  resource: Resource,
  use: { readonly used: number; readonly limit: number },
): string | undefined {
  return isUsedUp(use) ? usedUpSentence(resource, use) : undefined;
}

/** Returns REANA's sentence about an upload that exceeds the quota. */
export function wouldExceedSentence(file: string, limit: number): string {
  return `Uploading file ${file} would exceed the disk quota limit (${humanSize(limit)}). Aborting. ${WAYS_OUT.disk}`;
}

/** The time for which processor time is counted. */
export interface QuotaPeriod {
  readonly months: number;
  /** Start of the first period: midnight of a day, UTC. */
  readonly firstStartMs: number;
}

/** Returns the midnight before a time, UTC: use is counted by days. */
export function startOfDay(ms: number): number {
  return dayOf(ms) * DAY_MS;
}

/** Returns the number of the day, counted from 1970, UTC. */
export function dayOf(ms: number): number {
  return Math.floor(ms / DAY_MS);
}

/** Returns the start of the period at a given time, or of the first period for an earlier time. */
export function periodStart({ months, firstStartMs }: QuotaPeriod, nowMs: number): number {
  const first = new Date(firstStartMs);
  const now = new Date(nowMs);
  const between =
    (now.getUTCFullYear() - first.getUTCFullYear()) * 12 + now.getUTCMonth() - first.getUTCMonth();
  const periods = Math.max(0, Math.floor(between / months));
  const start = monthsAfter(first, periods * months);
  return start > nowMs && periods > 0 ? monthsAfter(first, (periods - 1) * months) : start;
}

/** Returns the same day of a later month, or the last day of a shorter month. */
function monthsAfter(first: Date, months: number): number {
  const [year, month] = [first.getUTCFullYear(), first.getUTCMonth() + months];
  const lastDay = new Date(Date.UTC(year, month + 1, 0)).getUTCDate();
  return Date.UTC(year, month, Math.min(first.getUTCDate(), lastDay));
}

/** Returns the month of a time, UTC: `2026-11`. */
export function monthOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 7);
}

/** Returns the number of the first day of a month, or of the month `later` months after. */
export function firstDayOf(month: string, later: number): number {
  const [year, number] = month.split("-").map(Number) as [number, number];
  return dayOf(Date.UTC(year, number - 1 + later, 1));
}
