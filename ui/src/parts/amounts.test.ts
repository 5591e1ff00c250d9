import { expect, test } from "vitest";
import { limitIn, limitText, type Measure } from "./amounts.ts";

test.each<[string, Measure, number | null]>([
  ["100h", "time", 360_000_000],
  ["90min", "time", 5_400_000],
  ["50GiB", "size", 50 * 2 ** 30],
  ["20", "number", 20],
  ["none", "size", 0],
  ["", "time", null],
])("%j is a limit, and is written again as it was given", (text, measure, limit) => {
  expect(limitIn(text, measure)).toBe(limit);
  expect(limitText(limit, measure)).toBe(text);
});

test.each<[string, Measure]>([
  ["100", "time"],
  ["0h", "time"],
  ["50GB", "size"],
  ["many", "number"],
  ["5constructor", "size"],
])("%j is no limit of %s", (text, measure) => {
  expect(() => limitIn(text, measure)).toThrow("is not a limit: give an amount such as");
});

test("an amount that no unit divides is rounded up", () => {
  expect(limitText(1500, "time")).toBe("2s");
});
