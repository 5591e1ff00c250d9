import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import { ROUTES } from "../server/src/api/routes.ts";
import { neverSeen, readStatuses } from "./seen-statuses.ts";

const [download] = ROUTES.filter(({ operation }) => operation === "download-file");

test.each([
  ["seen", "download-file 416", []],
  ["of another operation", "delete-files 416", ["download-file 416"]],
  ["another one", "download-file 404", ["download-file 416"]],
])("a declared refusal: %s", (_name, seen, missing) => {
  expect(neverSeen(new Set([seen]), [download!])).toEqual(missing);
});

test("statuses are read from all files", () => {
  const folder = mkdtempSync(path.join(os.tmpdir(), "replies-"));
  writeFileSync(path.join(folder, "1.statuses"), "a 404\nb 404\n");
  writeFileSync(path.join(folder, "2.statuses"), "a 404\n");
  expect(readStatuses(folder)).toEqual(new Set(["a 404", "b 404"]));
  rmSync(folder, { recursive: true });
});
