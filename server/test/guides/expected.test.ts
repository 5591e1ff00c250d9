import { describe, expect, test } from "vitest";
import { blocksOf } from "./blocks.ts";
import { difference, hasBegun } from "./expected.ts";
import { shownOnScreen } from "./screen.ts";

describe("the expected output of a guide", () => {
  test.each([
    ["the same lines", "a\nb", "a\nb\n"],
    ["any text within a line", "id … made", "id 7f3a made\n"],
    ["any number of lines", "a\n…\nz", "a\nb\nc\nz\n"],
    ["no line", "a\n…\nz", "a\nz\n"],
    ["another duration", "fit.1 finished after 1.5 s.", "fit.1 finished after 900 ms.\n"],
    ["a longer duration", "fit.1 finished after 1.5 s.", "fit.1 finished after 2 min 3 s.\n"],
    ["another size of kibibytes", "plot.png  21.87 KiB", "plot.png  3 MiB\n"],
    ["another time", "at 2026-11-21T03:30:00.120Z: 12", "at 2027-01-02T23:59:00Z: 12\n"],
    ["wider columns", "RUN  STATUS\na.1  failed", "RUN   STATUS \na.1   failed\n"],
    ["characters that mean something to a pattern", "(a|b) [$x] 1.0*", "(a|b) [$x] 1.0*\n"],
  ])("is met by %s", (_, shown, printed) => {
    expect(difference(shown.split("\n"), printed)).toBeUndefined();
  });

  test.each([
    ["another word", "a\nb", "a\nc\n", "not printed: b"],
    ["a missing line", "a\nb", "b\n", "not printed: a"],
    ["more lines", "a", "a\nb\n", "more was printed than the guide shows"],
    ["another number", "2 files", "3 files\n", "not printed: 2 files"],
    [
      "another number of bytes",
      "chi2.txt  26 Bytes",
      "chi2.txt  27 Bytes\n",
      "not printed: chi2.txt  26 Bytes",
    ],
    ["a dot that is none", "a.txt", "aXtxt\n", "not printed: a.txt"],
  ])("is not met by %s", (_, shown, printed, found) => {
    expect(difference(shown.split("\n"), printed)).toBe(found);
  });

  test("may be the beginning of a running command's output", () => {
    expect(hasBegun(["ready at http://…"], "ready at http://x\nmore")).toBe(true);
    expect(hasBegun(["ready at http://…"], "starting")).toBe(false);
  });
});

test("a line that is drawn again replaces itself, and colours are not text", () => {
  const bytes = "a\r\n\r\u001b[K\u001b[2mhalf\u001b[22m\r\u001b[K\u001b[32m✓\u001b[0m done\r\n";
  expect(shownOnScreen(bytes)).toBe("a\n✓ done\n");
});

describe("the blocks of a text", () => {
  test("know the place, the paragraph before and the terminal", () => {
    const text =
      "# A\n\nIn another terminal:\nsay\n\n<!-- terminal 2 -->\n```sh\na\n\nb\n```\n\n- x\n\n  ```json\n  {}\n  ```\n";
    expect(blocksOf("a.md", text)).toEqual([
      {
        place: "a.md:8",
        language: "sh",
        lines: ["a", "", "b"],
        paragraph: "In another terminal:\nsay",
        terminal: 2,
      },
      { place: "a.md:16", language: "json", lines: ["{}"], paragraph: "- x", terminal: 1 },
    ]);
  });

  test.each([
    ["a fence without an end", "```sh\na\n", "a.md:1: the fence is never closed"],
    [
      "a block that is only indented",
      "Say:\n\n    a\n",
      "a.md:3: an indented block; use a fence with a language",
    ],
  ])("%s is refused", (_, text, message) => {
    expect(() => blocksOf("a.md", text)).toThrow(message);
  });
});
