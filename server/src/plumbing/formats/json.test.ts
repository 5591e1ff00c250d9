import fc from "fast-check";
import { describe, expect, test } from "vitest";

import { refusalOf } from "#plumbing/refusal-fixture";
import { findJsonProblem, parseJson } from "#plumbing/formats/json";

describe("a text that is no JSON is refused with the place and the reason", () => {
  test.each([
    ["", "it is empty at line 1, column 1"],
    [" \n ", "it is empty at line 2, column 2"],
    ["x", "expected a value at line 1, column 1"],
    ['{"a": 1,}', "expected a key in double quotes at line 1, column 9"],
    ["{a: 1}", 'expected a key in double quotes or "}" at line 1, column 2'],
    ['{"a" 1}', 'expected ":" after the key at line 1, column 6'],
    ['{"a" "b"}', 'expected ":" after the key at line 1, column 6'],
    ['{\n  "a": 1\n  "b": 2\n}', "expected a comma or the closing bracket at line 3, column 3"],
    ["[1, 2", "it ends too early, expected a comma or the closing bracket at line 1, column 6"],
    ["[1,]", "expected a value at line 1, column 4"],
    ["[1}", "expected a comma or the closing bracket at line 1, column 3"],
    ["[1] 2", "expected nothing more after the value at line 1, column 5"],
    ["01", "expected nothing more after the value at line 1, column 2"],
    ['"a\nb"', "a line break or control character in a string at line 1, column 3"],
    ['"a\\x"', "an unknown escape in a string at line 1, column 3"],
    ['["a', "a string without its closing quote at line 1, column 2"],
    ["nul", "expected a value at line 1, column 1"],
    ["'a'", "expected a value at line 1, column 1"],
  ])("%j", (text, expected) => {
    expect(refusalOf(() => parseJson(text))).toBe(`The body is not valid JSON: ${expected}.`);
  });

  test("any input", () => {
    const pieces = fc.constantFrom(
      "{",
      "}",
      "[",
      "]",
      ":",
      ",",
      '"a"',
      '"',
      "1",
      "-",
      "true",
      "nul",
      " ",
      "\n",
      "\\",
    );
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 12 }), (parts) => {
        const text = parts.join("");
        let value: unknown;
        try {
          value = JSON.parse(text);
        } catch {
          // The runtime rejects the text as JSON: `parseJson` must also reject it, and name a place.
          expect(refusalOf(() => parseJson(text))).toMatch(
            /^The body is not valid JSON: .+ at line \d+, column \d+\.$/,
          );
          return;
        }
        expect(parseJson(text)).toEqual(value);
      }),
      { numRuns: 2000 },
    );
  });

  test("a cut-off document names its end, a megabyte long string too", () => {
    expect(refusalOf(() => parseJson(`{"a": "${"x\\n".repeat(1_000_000)}`))).toContain(
      "without its closing quote",
    );
  });
});

test("valid JSON is returned unchanged", () => {
  fc.assert(
    fc.property(fc.jsonValue({ noUnicodeString: false }), (value) => {
      const text = JSON.stringify(value);
      fc.pre(!text.includes('"__proto__"')); // refused, see below
      expect(parseJson(text)).toEqual(JSON.parse(text));
    }),
  );
});

describe("JSON that is not safe to walk is refused", () => {
  const deep = (levels: number) => `${"[".repeat(levels)}${"]".repeat(levels)}`;

  test("too deep, however deep", () => {
    expect(parseJson(deep(100))).toBeDefined();
    expect(refusalOf(() => parseJson(deep(101)))).toBe("The body is nested more than 100 levels deep.");
    expect(refusalOf(() => parseJson(deep(500_000)))).toBe("The body is nested more than 100 levels deep.");
  });

  test("the key __proto__, however it is written", () => {
    const sentence = 'The body holds the key "__proto__", which is not allowed.';
    expect(refusalOf(() => parseJson('{"__proto__": {"isAdmin": true}}'))).toBe(sentence);
    expect(refusalOf(() => parseJson('[{"a": {"\\u005f_proto__": 1}}]'))).toBe(sentence);
    expect(parseJson('{"constructor": {"prototype": 1}}')).toEqual({ constructor: { prototype: 1 } });
  });

  test("more values than later walks should pay for", () => {
    expect(refusalOf(() => parseJson(`[${"1,".repeat(1_000_000)}1]`))).toBe(
      "The body holds more than 1000000 values.",
    );
  });
});

test("values without a JSON form are found, including cyclic values", () => {
  const ring: unknown[] = [];
  ring.push(ring, ring);
  expect(findJsonProblem(ring)).toBe("is nested more than 100 levels deep");
  const sparse: unknown[] = [];
  sparse[3] = 1;
  const others = [undefined, Number.NaN, Infinity, 1n, () => 1, Symbol("a"), new Map(), new Date(0), sparse];
  for (const value of others) {
    expect(findJsonProblem({ value })).toBe("contains values that cannot be represented as JSON");
  }
  fc.assert(fc.property(fc.anything(), (value) => typeof findJsonProblem(value) !== "object"));
});
