import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import fc from "fast-check";
import { afterAll, expect, test } from "vitest";
import { unifiedHunks } from "#plumbing/diff/unified-diff";

const folder = mkdtempSync(path.join(os.tmpdir(), "reprise-unified-"));
afterAll(() => rmSync(folder, { recursive: true }));

const lines = (text: string) => text.split(" ").filter((word) => word !== "");
const diff = (a: string, b: string, context = 3) => [...unifiedHunks(lines(a), lines(b), context)];

test("a change is shown with its context", () => {
  expect(diff("a b c d e f g h i", "a b c d X f g h i", 2)).toEqual([
    ["@@ -3,5 +3,5 @@", " c", " d", "-e", "+X", " f", " g"],
  ]);
});

test("changes that are close share a hunk, and distant ones do not", () => {
  expect(diff("a b c d e", "X b c d Y", 2)).toHaveLength(1);
  expect(diff("a b c d e", "X b c d Y", 1)).toEqual([
    ["@@ -1,2 +1,2 @@", "-a", "+X", " b"],
    ["@@ -4,2 +4,2 @@", " d", "-e", "+Y"],
  ]);
});

test("works for empty texts, and without context", () => {
  expect(diff("a", "a")).toEqual([]);
  expect(diff("", "a b")).toEqual([["@@ -0,0 +1,2 @@", "+a", "+b"]]);
  expect(diff("a b c", "a c", 0)).toEqual([["@@ -2 +1,0 @@", "-b"]]);
});

test("patch turns the old text into the new text", () => {
  const words = fc.array(fc.constantFrom("a", "b", "c", "d"), { maxLength: 30 });
  const text = (all: readonly string[]) => all.map((line) => `${line}\n`).join("");
  const file = path.join(folder, "file");
  fc.assert(
    fc.property(words, words, fc.integer({ min: 0, max: 4 }), (a, b, context) => {
      const hunks = [...unifiedHunks(a, b, context)].flat();
      fc.pre(hunks.length > 0);
      writeFileSync(file, text(a));
      const input = `--- file\n+++ file\n${text(hunks)}`;
      const patched = spawnSync("patch", ["--unified", "--silent", "-o", "-", file], { input });
      expect(patched.stdout.toString()).toBe(text(b));
    }),
    { numRuns: 30 },
  );
});
