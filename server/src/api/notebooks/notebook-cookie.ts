import { timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";

/**
 * The cookie that opens one notebook in one browser. It is a cookie of its own origin, and of the notebook's path: the
 * session of Reprise's page is on another origin and never comes here.
 */
const PREFIX = "reprise-notebook-";

export function notebookCookie(runId: string, secret: string, isSecure: boolean): string {
  const parts = [`${PREFIX}${runId}=${secret}`, `Path=/${runId}/`, "HttpOnly", "SameSite=Strict"];
  return [...parts, ...(isSecure ? ["Secure"] : [])].join("; ");
}

/** Returns whether the request carries the cookie of this notebook. */
export function hasCookie(request: IncomingMessage, runId: string, secret: string): boolean {
  const name = `${PREFIX}${runId}=`;
  return cookiesOf(request).some((pair) => pair.startsWith(name) && isSame(pair.slice(name.length), secret));
}

/** Returns the cookies that the notebook server itself has set. */
export function othersCookies(request: IncomingMessage): string | undefined {
  const others = cookiesOf(request).filter((pair) => !pair.startsWith("reprise-"));
  return others.length === 0 ? undefined : others.join("; ");
}

/** Compares two secrets in a time that does not depend on where they differ. */
export function isSame(given: string, secret: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(secret)];
  return one.length === other.length && timingSafeEqual(one, other);
}

function cookiesOf({ headers }: IncomingMessage): readonly string[] {
  return (headers.cookie ?? "").split(/; */).filter((pair) => pair !== "");
}
