import { expect, test } from "vitest";
import { componentsOf, isPlainPath, hasParentSegment, plainPath } from "#plumbing/files/relative-path";

test.each([
  ["a", "a", true],
  ["data/a.txt", "data/a.txt", true],
  ["/data//./a.txt/", "data/a.txt", false],
  ["a/..b", "a/..b", true],
  ["a\\..\\b", "a\\..\\b", true],
  ["", "", false],
  ["./.", "", false],
])("%j is %j in its plain form", (path, plain, isPlain) => {
  expect(plainPath(path)).toBe(plain);
  expect(componentsOf(path).join("/")).toBe(plain);
  expect(isPlainPath(path)).toBe(isPlain);
  expect(hasParentSegment(path)).toBe(false);
});

test.each(["..", "a/../b", "../a", "a/.."])("%j leads up", (path) => {
  expect(hasParentSegment(path)).toBe(true);
  expect(isPlainPath(path)).toBe(false);
});
