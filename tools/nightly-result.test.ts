import { expect, test } from "vitest";
import { grownFiles } from "./nightly-result.ts";

const BEFORE = new Map([
  ["one", 1],
  ["two", 2],
  ["three", 3],
  ["short", 0.1],
]);

test("a file that grows by more than half is named, whatever the speed of the machine", () => {
  for (const speed of [1, 3]) {
    const now = new Map([
      ["one", speed],
      ["two", 2 * speed],
      ["three", 5 * speed],
      ["new", 9],
    ]);
    expect(grownFiles(BEFORE, now)).toEqual([expect.stringContaining("three took")]);
  }
});

test("a slower night and short files are no growth", () => {
  const now = new Map([...BEFORE].map(([name, minutes]) => [name, name === "short" ? 1 : 2 * minutes]));
  expect(grownFiles(BEFORE, now)).toEqual([]);
});
