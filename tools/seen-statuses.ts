import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { pathPattern } from "../server/src/api/paths.ts";
import type { Endpoint } from "../server/src/api/route.ts";
import { ROUTES } from "../server/src/api/routes.ts";

/** A reply that a test was given: one line of the files in the folder that `REPRISE_TEST_REPLIES` names. */
interface SeenReply {
  readonly method: string;
  readonly path: string;
  readonly status: number;
}

/** Has the tests write down their replies, if nobody has asked for them yet. Returns their folder, and what removes it. */
export function recordReplies(): { readonly folder: string; remove(): void } {
  const given = process.env["REPRISE_TEST_REPLIES"];
  if (given) return { folder: given, remove: () => undefined };
  const folder = mkdtempSync(path.join(os.tmpdir(), "reprise-replies-"));
  process.env["REPRISE_TEST_REPLIES"] = folder;
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

export function readReplies(folder: string): readonly SeenReply[] {
  const files = readdirSync(folder).filter((name) => name.endsWith(".jsonl"));
  const lines = files.flatMap((name) => readFileSync(path.join(folder, name), "utf8").trimEnd().split("\n"));
  return lines.filter((line) => line !== "").map((line) => JSON.parse(line) as SeenReply);
}

/**
 * Names the refusals that an endpoint declares as its own and that no test has seen: `download-file 416`. The other
 * direction, a reply that is not declared, fails the test that got it.
 */
export function neverSeen(
  replies: readonly SeenReply[],
  routes: readonly Endpoint[] = ROUTES,
): readonly string[] {
  return routes.flatMap(({ refuses = [], method, path: place, operation }) => {
    const pattern = pathPattern(place);
    const seen = replies.filter((reply) => reply.method === method && pattern.test(reply.path));
    const statuses = new Set(seen.map(({ status }) => status));
    return refuses.filter((status) => !statuses.has(status)).map((status) => `${operation} ${status}`);
  });
}
