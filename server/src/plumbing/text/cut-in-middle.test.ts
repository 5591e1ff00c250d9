import { expect, test } from "vitest";
import { cutInMiddle } from "#plumbing/text/cut-in-middle";

test.each([
  ["short.1", 10, "short.1"],
  ["exactly-10", 10, "exactly-10"],
  ["a-very-long-name-of-an-analysis.119", 12, "a-ver…is.119"],
  ["αβγδεζηθικ", 5, "αβ…ικ"],
  ["ab😀cd😀ef", 5, "ab…ef"],
])("%s in %i characters is %s", (text, length, shown) => {
  expect(cutInMiddle(text, length)).toBe(shown);
});
