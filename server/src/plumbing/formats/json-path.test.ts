import { describe, expect, test } from "vitest";
import { JsonPathError, parseJsonPath } from "#plumbing/formats/json-path";

const DOCUMENT = { map: [{ id: 1, in: { x: "a" } }, { id: 2 }, { id: 3 }], one: { id: 4 }, "two words": 5 };

describe("a path finds what jsonpath-rw finds", () => {
  test.each<[string, unknown[]]>([
    ["$", [DOCUMENT]],
    ["map", [DOCUMENT.map]],
    ["$.map", [DOCUMENT.map]],
    ["map[0].id", [1]],
    ["map[*].id", [1, 2, 3]],
    ["map.[*].id", [1, 2, 3]],
    ["map[1:].id", [2, 3]],
    ["map[0:2].id", [1, 2]],
    ["map[-1].id", [3]],
    ["map[9]", []],
    ["one[*].id", [4]],
    ["one[0]", []],
    ["map..x", ["a"]],
    ["one.id | map[0].id", [4, 1]],
    ["'two words'", [5]],
    ["one,'two words'", [DOCUMENT.one, 5]],
    ["one.*", [4]],
    ["one.id.`parent`", [DOCUMENT.one]],
    ["nothing.at.all", []],
    ["toString", []],
  ])("%s", (path, found) => expect(parseJsonPath(path)(DOCUMENT)).toEqual(found));
});

test.each(["", "a.", "a[", "a[b", "a]", "[]", "a b", "%", "`nope`", "x".repeat(1001)])(
  "%s is no path",
  (path) => expect(() => parseJsonPath(path)).toThrow(JsonPathError),
);
