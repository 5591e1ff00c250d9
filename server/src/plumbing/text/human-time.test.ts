import { expect, test } from "vitest";
import { humanTime } from "#plumbing/text/human-time";

test.each([
  [0, "0s"],
  [999, "0s"],
  [1000, "1s"],
  [60_000, "1m"],
  [3_723_000, "1h 2m 3s"],
  [360_000_000, "100h"],
])("%i ms: %s", (ms, text) => {
  expect(humanTime(ms)).toBe(text);
});
