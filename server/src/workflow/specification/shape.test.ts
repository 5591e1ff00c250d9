import { expect, test } from "vitest";
import { findShapeFaults, type Shape } from "#workflow/specification/shape";

const SHAPE: Shape = {
  type: "object",
  required: ["a"],
  minProperties: 2,
  keys: {
    a: {
      type: "array",
      items: { type: "string", pattern: /^x/ },
      minItems: 1,
      maxItems: 2,
      uniqueItems: true,
    },
    b: { type: "integer", minimum: 2, mayBeNull: true },
    c: { type: "object", values: { type: "boolean" } },
  },
};

test.each([
  ["no fault", { a: ["x"], b: 2, c: { any: true } }, []],
  ["null where it may be", { a: ["x", "xx"], b: null }, []],
  ["another type", [], [""]],
  ["a missing key", { b: 2, c: {} }, [""]],
  ["too few keys", { a: ["x"] }, [""]],
  ["an unknown key", { a: ["x"], z: 1 }, [""]],
  ["a short list", { a: [], b: 2 }, ["a"]],
  ["a long list of equal texts that do not match", { a: ["y", "y", "x"], b: 2 }, ["a", "a", "a.0", "a.1"]],
  ["a small number", { a: ["x"], b: 1 }, ["b"]],
  ["another type deep inside", { a: ["x"], c: { any: 1, one: false } }, ["c.any"]],
])("a value with %s has a fault at each of these paths", (_what, value, paths) => {
  expect(Array.from(findShapeFaults(value, SHAPE, ""), ({ path }) => path)).toEqual(paths);
});
