import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { toWireTime } from "#plumbing/clock";

describe("a time as REANA's clients parse it", () => {
  test.each([
    [0, "1970-01-01T00:00:00"],
    [Date.parse("2028-02-29T23:59:59.999Z"), "2028-02-29T23:59:59"],
    [-1, "1969-12-31T23:59:59"],
    [-1e15, "0000-01-01T00:00:00"],
    [1e15, "9999-12-31T23:59:59"],
  ])("%d is %s", (epochMs, text) => {
    expect(toWireTime(epochMs)).toBe(text);
  });

  test("any input", () => {
    const time = fc.date({
      min: new Date("0000-01-01T00:00:00Z"),
      max: new Date("9999-12-31T23:59:59Z"),
      noInvalidDate: true,
    });
    fc.assert(
      fc.property(time, (at) => {
        expect(toWireTime(at.getTime())).toBe(at.toISOString().slice(0, 19));
      }),
    );
  });
});
