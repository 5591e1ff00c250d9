import { describe, expect, test } from "vitest";
import { csvLine, maybeCsvRows } from "#plumbing/formats/csv";

describe("CSV", () => {
  test.each<[string, string[][] | undefined]>([
    [
      "a,b\nc,d\n",
      [
        ["a", "b"],
        ["c", "d"],
      ],
    ],
    [
      "a, b \r\n\r\nc,\r\n",
      [
        ["a", "b"],
        ["c", ""],
      ],
    ],
    ['"a ""b"", c",d', [['a "b", c', "d"]]],
    ['"two\nlines",x\n', [["two\nlines", "x"]]],
    ["\uFEFFemail\nada@example.org", [["email"], ["ada@example.org"]]],
    ["", []],
    ['"never closed', undefined],
    ['"a"b,c', undefined],
    ['a"b,c', undefined],
  ])("%j is read", (text, rows) => {
    expect(maybeCsvRows(text)).toEqual(rows);
  });

  test("what was written is read again", () => {
    const row = ["plain", 'with "quotes"', "with, comma", "with\nline"];
    expect(maybeCsvRows(`${csvLine(row)}\n`)).toEqual([row]);
  });
});
