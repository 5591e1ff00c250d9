import { expect, test } from "vitest";
import { fittedColumns } from "#cli/terminal/columns";

const tableOf = (isShort: boolean) => [
  ["NAME", "CREATED"],
  ["a-very-long-name-of-an-analysis.118", isShort ? "11-26 22:47" : "2026-11-26 22:47:09"],
  ["a-very-long-name-of-an-analysis.119", isShort ? "11-26 22:48" : "2026-11-26 22:48:10"],
];

test("a table that fits is shown whole", () => {
  expect(fittedColumns(80, tableOf)[2]).toBe("a-very-long-name-of-an-analysis.119  2026-11-26 22:48:10");
});

test("in a narrow terminal no line wraps, and the numbers at the end of names stay", () => {
  const lines = fittedColumns(30, tableOf);
  expect(lines).toEqual([
    "NAME               CREATED",
    "a-very-l…ysis.118  11-26 22:47",
    "a-very-l…ysis.119  11-26 22:48",
  ]);
});
