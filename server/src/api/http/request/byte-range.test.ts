import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseRange } from "#api/http/request/byte-range";

describe("a Range header", () => {
  const SIZE = 100;
  const rows = [
    [undefined, "whole"],
    ["bytes=0-9", { first: 0, last: 9 }],
    ["bytes=90-", { first: 90, last: 99 }],
    ["bytes=90-5000", { first: 90, last: 99 }],
    ["bytes=-10", { first: 90, last: 99 }],
    ["bytes=-5000", { first: 0, last: 99 }],
    ["BYTES=1-1", { first: 1, last: 1 }],
    ["bytes=100-", "unsatisfiable"],
    ["bytes=-0", "unsatisfiable"],
    ["bytes=9-0", "whole"],
    ["bytes=-", "whole"],
    ["bytes=a-b", "whole"],
    ["bytes=0-1,5-6", "whole"],
    ["lines=0-1", "whole"],
    ["bytes=99999999999999999999999-", "unsatisfiable"],
  ] as const;

  test.each(rows)("%s", (header, expected) => {
    expect(parseRange(header, SIZE)).toEqual(expected);
  });

  test("of an empty file is whole or cannot be satisfied", () => {
    expect(parseRange("bytes=0-", 0)).toBe("unsatisfiable");
    expect(parseRange("bytes=-1", 0)).toBe("unsatisfiable");
    expect(parseRange(undefined, 0)).toBe("whole");
  });

  test("never leads outside the file", () => {
    const header = fc.oneof(
      fc.string(),
      fc.tuple(fc.nat(), fc.nat()).map(([first, last]) => `bytes=${first}-${last}`),
    );
    fc.assert(
      fc.property(header, fc.nat(), (text, size) => {
        const range = parseRange(text, size);
        if (typeof range === "string") return true;
        return range.first >= 0 && range.first <= range.last && range.last < size;
      }),
    );
  });
});
