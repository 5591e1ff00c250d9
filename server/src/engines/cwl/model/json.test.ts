import { expect, test } from "vitest";
import { jsonText } from "#engines/cwl/model/json";

test.each([
  [{ b: 1, a: "x" }, '{"a": "x", "b": 1}'],
  [["q", [1, null]], '["q", [1, null]]'],
  [{ name: "é😀" }, String.raw`{"name": "\u00e9\ud83d\ude00"}`],
  [true, "true"],
])("a value in a text is written as the reference implementation writes it: %j", (value, text) => {
  expect(jsonText(value)).toBe(text);
  expect(JSON.parse(text)).toEqual(value);
});
