import { describe, expect, test } from "vitest";
import { parseSearch } from "#api/search-query";

describe("search", () => {
  test.each([
    [undefined, {}],
    ["", {}],
    ["{}", {}],
    ['{"name": ["a", "b"]}', { name: ["a", "b"] }],
    ['{"name": [], "other": 1}', { name: [] }],
  ])("%s", (text, expected) => {
    expect(parseSearch(text, ["name", "size"])).toEqual(expected);
  });

  test.each(["{", "[]", "null", '"name"', '{"name": "a"}', '{"name": [1]}', '{"size": {}}'])(
    "refused: %s",
    (text) => {
      expect(() => parseSearch(text, ["name", "size"])).toThrow(/^Malformed request\./);
    },
  );
});
