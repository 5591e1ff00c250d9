import { execFileSync } from "node:child_process";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { globMatcher } from "#workspace/glob";

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
    expect(globMatcher(pattern)(path)).toBe(expected);
  });

  test("a pattern made to take for ever is answered", () => {
    expect(globMatcher(`${"*a".repeat(400)}b`)("a".repeat(250))).toBe(false);
    expect(globMatcher(`${"**/".repeat(300)}b`)("a/".repeat(1000) + "c")).toBe(false);
    expect(() => globMatcher("*".repeat(1001))).toThrow("longer than 1000");
  });

  test("a component matches as Python's fnmatch says", () => {
    const text = fc.string({ unit: fc.constantFrom("a", "b", "-", "[", "]", "!", ".", "x"), minLength: 1, maxLength: 8 });
    const part = fc.string({ unit: fc.constantFrom("a", "b", "*", "?", ".", "x"), minLength: 1, maxLength: 8 });
    const pairs = fc.sample(fc.tuple(part, text), { numRuns: 3000, seed: 3 }).filter(([p]) => p !== "**" && p !== ".");
    const script = "import fnmatch,json,sys\nprint(json.dumps([fnmatch.fnmatchcase(t,p) for p,t in json.load(sys.stdin)]))";
    const expected = JSON.parse(execFileSync("python3", ["-c", script], { input: JSON.stringify(pairs), encoding: "utf8" }));
    expect(pairs.map(([pattern, name]) => globMatcher(pattern)(name))).toEqual(expected);
  });
});
