import { expect, test } from "vitest";
import { beginOf } from "./since.ts";

const NOW = new Date(2026, 10, 2, 14, 30).getTime();

test.each([
  ["today", new Date(2026, 10, 2)],
  ["yesterday", new Date(2026, 10, 1)],
  ["week", new Date(2026, 9, 27)],
  ["month", new Date(2026, 9, 4)],
] as const)("%s begins at a midnight of the reader", (since, begin) => {
  expect(beginOf(since, NOW)).toBe(begin.getTime());
});
