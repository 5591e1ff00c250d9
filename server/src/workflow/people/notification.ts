import { isEmail } from "#workflow/people/email";
import type { RunStatus } from "#workflow/run/run-status";

/** Statuses of runs for which users may request reports, in the order in which a run reaches them. */
export const REPORTED_STATUSES = [
  "queued",
  "running",
  "finished",
  "failed",
  "stopped",
] as const satisfies readonly RunStatus[];

export type ReportedStatus = (typeof REPORTED_STATUSES)[number];

/** Statuses that are reported by default: a run has ended. */
export const REPORTED_BY_DEFAULT: readonly ReportedStatus[] = ["finished", "failed", "stopped"];

export function isReported(status: RunStatus): status is ReportedStatus {
  return (REPORTED_STATUSES as readonly RunStatus[]).includes(status);
}

/** Receiver of notifications. */
export type Receiver =
  | { readonly kind: "webhook"; readonly url: URL }
  | { readonly kind: "mail"; readonly email: string };

const ADDRESS_MAX_LENGTH = 2000;

/** Parses a receiver, or returns the problem with the text, as the end of a sentence. */
export function parseReceiver(text: string): Receiver | { readonly problem: string } {
  if (isEmail(text)) return { kind: "mail", email: text };
  if (text.length > ADDRESS_MAX_LENGTH)
    return { problem: `it is longer than ${ADDRESS_MAX_LENGTH} characters` };
  const url = URL.parse(text);
  if (!url || !/^https?:$/.test(url.protocol))
    return { problem: "it is neither an https address nor an e-mail address" };
  if (url.username !== "" || url.password !== "")
    return { problem: "it has a user or a password; every message is signed instead" };
  return { kind: "webhook", url };
}
