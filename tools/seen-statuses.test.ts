import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import { ROUTES } from "../server/src/api/routes.ts";
import { neverSeen, readReplies } from "./seen-statuses.ts";

const [download] = ROUTES.filter(({ operation }) => operation === "download-file");
const seen = { method: "GET", path: "/api/workflows/a.1/workspace/b/c.txt", status: 416 };

test.each([
  ["seen", [seen], []],
  ["of another method", [{ ...seen, method: "DELETE" }], ["download-file 416"]],
  ["of another address", [{ ...seen, path: "/api/workflows/a.1/status" }], ["download-file 416"]],
  ["another one", [{ ...seen, status: 404 }], ["download-file 416"]],
])("a declared refusal: %s", (_name, replies, missing) => {
  expect(neverSeen(replies, [download!])).toEqual(missing);
});

test("replies are read from all files", () => {
  const folder = mkdtempSync(path.join(os.tmpdir(), "replies-"));
  for (const name of ["1.jsonl", "2.jsonl"])
    writeFileSync(path.join(folder, name), `${JSON.stringify(seen)}\n`);
  expect(readReplies(folder)).toEqual([seen, seen]);
  rmSync(folder, { recursive: true });
});
