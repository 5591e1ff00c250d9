import { describe, expect, test } from "vitest";
import { parseSearch } from "#api/http/request/search-query";

describe("search", () => {
  test.each([
    [undefined, {}],
    ["", {}],
    ["{}", {}],
    ['{"name": ["a", "b"]}', { name: ["a", "b"] }],
    ['{"name": [], "size": ["1"]}', { name: [], size: ["1"] }],
  ])("%s", (text, expected) => {
    expect(parseSearch(text, ["name", "size"])).toEqual(expected);
  });

  test.each(["{", "[]", "null", '"name"', '{"name": "a"}', '{"name": [1]}', '{"size": {}}'])(
    "refused: %s",
    (text) => {
      expect(() => parseSearch(text, ["name", "size"])).toThrow(/^Malformed request\./);
    },
  );

  test("an unknown field is refused, and the known ones are named", () => {
    expect(() => parseSearch('{"nmae": ["a"]}', ["name", "size"])).toThrow(
      'Malformed request. search has no field "nmae"; it has: name, size.',
    );
  });
});
