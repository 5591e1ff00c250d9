import { describe, expect, test } from "vitest";
import { isUnchanged, mayTakeRange } from "#api/http/request/conditions";

describe("conditions of a request", () => {
  test.each([
    [undefined, false],
    ['"a"', true],
    ['W/"a"', true],
    ['"b", "a"', true],
    ["*", true],
    ['"b"', false],
    ["a", false],
    ["", false],
  ])("If-None-Match: %s", (header, expected) => {
    expect(isUnchanged(header, '"a"')).toBe(expected);
  });

  test.each([
    [undefined, true],
    ['"a"', true],
    ['W/"a"', false],
    ['"b"', false],
    ["Sat, 21 Nov 2026 10:57:41 GMT", false],
  ])("If-Range: %s", (header, expected) => {
    expect(mayTakeRange(header, '"a"')).toBe(expected);
  });
});
