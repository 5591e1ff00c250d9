import { expect, test } from "vitest";
import { isWithin } from "#plumbing/files/is-within";

test.each([
  ["/data/runs", "/data", true],
  ["/data", "/data", true],
  ["/database", "/data", false],
  ["/", "/data", false],
  ["/data", "/", true],
  ["/", "/", true],
  ["step/out", "step", true],
  ["steps", "step", false],
])("%s is within %s: %s", (place, folder, expected) => {
  expect(isWithin(place, folder)).toBe(expected);
});
