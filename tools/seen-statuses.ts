import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import type { Route } from "../server/src/api/http/endpoint.ts";
import { ROUTES } from "../server/src/api/routes.ts";

/**
 * Makes the tests record their replies, unless a folder is already set. Returns the folder and a function
 * that removes it.
 */
export function recordReplies(): { readonly folder: string; remove(): void } {
  const given = process.env["REPRISE_TEST_REPLIES"];
  if (given) return { folder: given, remove: () => undefined };
  const folder = mkdtempSync(path.join(os.tmpdir(), "reprise-replies-"));
  process.env["REPRISE_TEST_REPLIES"] = folder;
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/** Returns the reply statuses recorded by the tests, such as `download-file 416`. */
export function readStatuses(folder: string): ReadonlySet<string> {
  const files = readdirSync(folder).filter((name) => name.endsWith(".statuses"));
  return new Set(
    files.flatMap((name) => readFileSync(path.join(folder, name), "utf8").trimEnd().split("\n")),
  );
}

/**
 * Returns the endpoints' declared refusals that no test has received, such as `download-file 416`. The
 * reverse, an undeclared reply, fails the test that received it.
 */
export function neverSeen(seen: ReadonlySet<string>, routes: readonly Route[] = ROUTES): readonly string[] {
  const declared = routes.flatMap(({ refuses = [], operation }) =>
    refuses.map((status) => `${operation} ${status}`),
  );
  return declared.filter((one) => !seen.has(one));
}
