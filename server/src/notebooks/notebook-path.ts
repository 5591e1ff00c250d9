import { createHmac } from "node:crypto";

/**
 * Returns the path below which a notebook is served. Its second part cannot be guessed: browsers send the cookie of a
 * path to every port of the host, but a page on another port does not know which address it would have to be at.
 */
export function notebookPath(runId: string, secret: string): string {
  return `/${runId}/${createHmac("sha256", secret).update("path").digest("base64url")}/`;
}
