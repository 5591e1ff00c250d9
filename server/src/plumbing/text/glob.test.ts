import { execFileSync } from "node:child_process";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { needsPython } from "#plumbing/formats/python-suite";
import { parseGlob } from "#plumbing/text/glob";

describe("globs", () => {
  test.each([
    ["*.txt", "a.txt", true],
    ["*.txt", "b/a.txt", false],
    ["*", ".hidden", true],
    ["**", "a/b/.c/d", true],
    ["**/*.root", "x.root", true],
    ["**/*.root", "a/b/x.root", true],
    ["results/**", "results/a/b", true],
    ["results/**", "other/a", false],
    ["a/**/z", "a/z", true],
    ["a/**/z", "a/b/c/z", true],
    ["a/**/z", "a/b/c", false],
    ["data?.csv", "data1.csv", true],
    ["data?.csv", "data12.csv", false],
    ["[a-c]x", "bx", true],
    ["[!a-c]x", "bx", false],
    ["[^a-c]x", "dx", true],
    ["[]]x", "]x", true],
    ["[x", "[x", true],
    ["{a,b}", "a", false],
    ["{a,b}", "{a,b}", true],
    ["!a", "!a", true],
    ["!a", "b", false],
    ["a**b", "axyb", true],
    ["./a", "a", true],
    ["é*", "été", true],
  ])("%s on %s: %s", (pattern, path, expected) => {
    expect(parseGlob(pattern).matches(path)).toBe(expected);
  });

  test.each([
    ["r*", "results/a/b", true],
    ["r*/a", "results/a/b", true],
    ["r*/b", "results/a/b", false],
    ["*", "a/b", true],
  ])("%s covers %s: %s", (pattern, path, expected) => {
    expect(parseGlob(pattern).covers(path)).toBe(expected);
  });

  test.each([
    ["*.txt", "a", false],
    ["*.txt", "", true],
    ["a/*.txt", "a", true],
    ["a/*/c", "a/b", true],
    ["a/*/c", "b", false],
    ["**/c", "a/b", true],
    ["a*", "ab/c", true],
  ])("%s leads into %s: %s", (pattern, folder, expected) => {
    expect(parseGlob(pattern).leadsInto(folder)).toBe(expected);
  });

  test.each([
    ["*", ".hidden", false],
    ["*", "shown", true],
    [".*", ".hidden", true],
    ["?hidden", ".hidden", false],
    ["[.]hidden", ".hidden", false],
    ["**", "a/.b/c", false],
    ["**/c", "a/.b/c", false],
    ["**/.b/c", "a/.b/c", true],
    ["a/.b/*", "a/.b/c", true],
  ])("%s on %s without hidden names: %s", (pattern, path, expected) => {
    expect(parseGlob(pattern, { leavesHidden: true }).matches(path)).toBe(expected);
  });

  test.each([
    ["results/./plots//*.png", "results/plots"],
    ["results/**", "results"],
    ["*/a", undefined],
    ["[x]", undefined],
  ])("%s begins at %s", (pattern, start) => {
    expect(parseGlob(pattern).start).toBe(start);
  });

  test("a pattern made to take for ever is matched quickly, and an endless one is refused", () => {
    expect(parseGlob(`${"*a".repeat(400)}b`).matches("a".repeat(250))).toBe(false);
    expect(parseGlob(`${"**/".repeat(300)}b`).matches(`${"a/".repeat(1000)}c`)).toBe(false);
    expect(parseGlob(`${"**/*a*a*/".repeat(24)}b`).matches(`${"a".repeat(200)}/`.repeat(200))).toBe(false);
    expect(() => parseGlob("*".repeat(1001))).toThrow("longer than 1000");
    expect(() => parseGlob("*/".repeat(51))).toThrow("more than 50 components");
  });

  test("a component matches as Python's fnmatch says", (context) => {
    needsPython(context);
    const text = fc.string({
      unit: fc.constantFrom("a", "b", "-", "[", "]", "!", ".", "x"),
      minLength: 1,
      maxLength: 8,
    });
    const part = fc.string({
      unit: fc.constantFrom("a", "b", "*", "?", ".", "x"),
      minLength: 1,
      maxLength: 8,
    });
    const pairs = fc
      .sample(fc.tuple(part, text), { numRuns: 3000, seed: 3 })
      .filter(([p]) => p !== "**" && p !== ".");
    const script =
      "import fnmatch,json,sys\nprint(json.dumps([fnmatch.fnmatchcase(t,p) for p,t in json.load(sys.stdin)]))";
    const expected = JSON.parse(
      execFileSync("python3", ["-c", script], { input: JSON.stringify(pairs), encoding: "utf8" }),
    );
    expect(pairs.map(([pattern, name]) => parseGlob(pattern).matches(name))).toEqual(expected);
  });
});
