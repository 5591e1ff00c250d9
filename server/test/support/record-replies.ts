import { appendFileSync } from "node:fs";
import path from "node:path";
import type { LightMyRequestResponse } from "fastify";

/** The folder in which conformance/reana-client expects the replies, to check each with REANA's own library. */
const FOLDER = process.env["REPRISE_TEST_REPLIES"];

/**
 * Appends a JSON reply as one line to this process's file. Does nothing unless a folder is named. Replies to
 * events of GitLab are left out, because REANA's clients never receive such replies.
 */
export function recordReply(reply: LightMyRequestResponse): void {
  const type = String(reply.headers["content-type"]);
  if (!FOLDER || !type.startsWith("application/json")) return;
  const { method, url = "", headers } = reply.raw.req;
  if (headers["x-gitlab-event"] !== undefined || headers["x-gitlab-token"] !== undefined) return;
  const line = { method, path: url.split("?")[0], status: reply.statusCode, type, body: reply.body };
  appendFileSync(path.join(FOLDER, `${process.pid}.jsonl`), `${JSON.stringify(line)}\n`);
}

/** Writes a line for each reply of the table's endpoints: tools/seen-statuses.ts reads them. */
export function recordStatus(operation: string, status: number): void {
  if (FOLDER) appendFileSync(path.join(FOLDER, `${process.pid}.statuses`), `${operation} ${status}\n`);
}
