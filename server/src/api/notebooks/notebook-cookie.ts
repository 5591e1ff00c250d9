import { createHmac } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { isSame } from "#plumbing/secrets/is-same";

/**
 * The cookie that opens a notebook in a browser. The cookie is limited to the notebook's unguessable path:
 * pages on other ports of the host never receive the cookie, and other paths ignore it.
 */
const PREFIX = "reprise-notebook-";

export function notebookCookie(runId: string, secret: string, path: string, isSecure: boolean): string {
  const parts = [`${PREFIX}${runId}=${valueFor(secret)}`, `Path=${path}`, "HttpOnly", "SameSite=Strict"];
  return [...parts, ...(isSecure ? ["Secure"] : [])].join("; ");
}

/**
 * Returns the value of the cookie: an HMAC, because the secret itself would open the notebook and reveal its
 * path.
 */
function valueFor(secret: string): string {
  return createHmac("sha256", secret).update("cookie").digest("base64url");
}

/** Returns whether the request carries the cookie of this notebook. */
export function hasCookie(request: IncomingMessage, runId: string, secret: string): boolean {
  const name = `${PREFIX}${runId}=`;
  return cookiesOf(request).some(
    (pair) => pair.startsWith(name) && isSame(pair.slice(name.length), valueFor(secret)),
  );
}

/** Returns the cookies that the notebook server itself has set. */
export function othersCookies(request: IncomingMessage): string | undefined {
  const others = cookiesOf(request).filter((pair) => !/^(__Secure-)?reprise-/.test(pair));
  return others.length === 0 ? undefined : others.join("; ");
}

function cookiesOf({ headers }: IncomingMessage): readonly string[] {
  return (headers.cookie ?? "").split(/; */).filter((pair) => pair !== "");
}
