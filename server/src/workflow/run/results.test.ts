import { describe, expect, test } from "vitest";
import { replacementsOf, type ResultFile, type Results, resultsNote } from "#workflow/run/results";

const file = (path: string, sha256: string | null, stamp = `stamp of ${sha256}`): ResultFile => {
  return { path, bytes: 1, sha256, stamp };
};
const of = (...files: ResultFile[]): Results => ({ files, isCut: false });
const later = (results: Results | undefined, isLive = false, name = "w.1.1") => ({ name, results, isLive });

const OWN = of(file("a", "1"), file("b", "2"));

describe("a result was replaced", () => {
  test.each<[string, Results, Results, string[]]>([
    ["not, when it holds the same", OWN, of(file("a", "1", "other"), file("b", "2")), []],
    ["when it holds something else", OWN, of(file("a", "9"), file("b", "2")), ["a"]],
    ["when it is gone", OWN, of(file("b", "2")), ["a (gone)"]],
    ["not for sure, when a list was cut", OWN, { files: [file("b", "2")], isCut: true }, []],
    [
      "not, when it has no checksum and was not touched",
      of(file("a", null, "s")),
      of(file("a", null, "s")),
      [],
    ],
    ["when it has no checksum and was touched", of(file("a", null, "s")), of(file("a", null, "t")), ["a"]],
    ["when its stamp is not sure", of(file("a", null, "?")), of(file("a", null, "?")), ["a"]],
  ])("%s", (_name, own, after, expected) => {
    const replaced = replacementsOf(own, [later(after)]);
    expect(replaced.map(({ path, isGone }) => path + (isGone ? " (gone)" : ""))).toEqual(expected);
  });

  test("by the first run with a change", () => {
    const runs = [
      later(OWN, false, "w.1.1"),
      later(of(file("a", "9"), file("b", "2")), false, "w.1.2"),
      later(of(file("a", "8"), file("b", "7")), false, "w.1.3"),
    ];
    expect(replacementsOf(OWN, runs).map(({ path, by }) => [path, by])).toEqual([
      ["a", "w.1.2"],
      ["b", "w.1.3"],
    ]);
  });
});

describe("the note", () => {
  test.each<[string | undefined, Results | undefined, ReturnType<typeof later>[]]>([
    [undefined, OWN, []],
    [undefined, undefined, []],
    [undefined, OWN, [later(OWN)]],
    ["w.1's results were replaced by w.1.1: a, b (removed).", OWN, [later(of(file("a", "9")))]],
    ["1 of w.1's 2 results were replaced by w.1.1: a.", OWN, [later(of(file("a", "9"), file("b", "2")))]],
    ["w.1.1 is running in the workspace of w.1 and may replace its results.", OWN, [later(undefined, true)]],
    [
      "w.1 shares its workspace with w.1.1, which ran later: its files may not be those that w.1 left.",
      undefined,
      [later(OWN)],
    ],
    [
      "w.1's results were replaced by w.1.1: a, b, c and 2 more.",
      of(...["a", "b", "c", "d", "e"].map((path) => file(path, "1"))),
      [later(of(...["a", "b", "c", "d", "e"].map((path) => file(path, "2"))))],
    ],
    [
      "w.1's results were replaced by w.1.1: \ufffd[2J.",
      of(file("\u001b[2J", "1")),
      [later(of(file("\u001b[2J", "2")))],
    ],
  ])("%s", (note, results, runs) => {
    expect(resultsNote("w.1", results, runs)).toBe(note);
  });
});
