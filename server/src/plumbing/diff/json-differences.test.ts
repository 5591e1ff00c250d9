import { expect, test } from "vitest";
import { jsonDifferences } from "#plumbing/diff/json-differences";

test.each([
  ["equal, in another order of keys", { a: 1, b: [{ c: 2, d: 3 }] }, { b: [{ d: 3, c: 2 }], a: 1 }, []],
  ["a value", { a: { b: 1 } }, { a: { b: 2 } }, [{ path: "a.b", a: 1, b: 2 }]],
  ["a key more", {}, { a: null }, [{ path: "a", a: undefined, b: null }]],
  ["a key less", { a: 1 }, {}, [{ path: "a", a: 1, b: undefined }]],
  ["of another kind", { a: [1] }, { a: { 0: 1 } }, [{ path: "a", a: [1], b: { 0: 1 } }]],
  ["an item put in", { s: [1, 2] }, { s: [1, 9, 2] }, [{ path: "s[1]", a: undefined, b: 9 }]],
  ["an item taken out", { s: [1, 2, 3] }, { s: [2, 3] }, [{ path: "s[0]", a: 1, b: undefined }]],
  [
    "one put in before one that has changed inside",
    { s: [{ n: 1 }, { n: 2 }, { n: 3 }] },
    { s: [{ n: 0 }, { n: 1 }, { n: 2 }, { n: 4 }] },
    [
      { path: "s[0]", a: undefined, b: { n: 0 } },
      { path: "s[3].n", a: 3, b: 4 },
    ],
  ],
  [
    "the keys that objects have by nature",
    {},
    { constructor: 1 },
    [{ path: "constructor", a: undefined, b: 1 }],
  ],
] as const)("%s", (_name, a, b, expected) => {
  expect(jsonDifferences(a, b)).toEqual(expected);
});
