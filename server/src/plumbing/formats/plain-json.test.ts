import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { maybePlainJson } from "#plumbing/formats/plain-json";
import { parseYaml, readYaml } from "#plumbing/formats/yaml";

const options = { maxBytes: 1 << 20, what: "a.yaml", schema: "core" } as const;

describe("JSON that is read in place of YAML", () => {
  test("has an equal value", () => {
    const values = fc.oneof(fc.object({ maxDepth: 3 }), fc.array(fc.jsonValue()));
    fc.assert(
      fc.property(values, fc.constantFrom(0, 2), (value, indent) => {
        const text = JSON.stringify(value, null, indent);
        const read = maybePlainJson(text);
        // The comment at the end makes the text YAML.
        if (read) expect(read.value).toEqual(parseYaml(`${text} # end`, options));
      }),
      { numRuns: 50 },
    );
  });

  test.each([
    '{"a": 1, "a": 2}',
    '{"a": {"b": [], "\\u0062": 1}}',
    '{"__proto__": 1}',
    "[1e999]",
    "[1,]",
    "{a: 1}",
    "word",
    "[".repeat(200) + "]".repeat(200),
  ])("is left to YAML, which explains the fault, if the results may differ: %s", (text) => {
    expect(maybePlainJson(text)).toBeUndefined();
  });

  test("may hold colons and quotes in its strings", () => {
    const value = { 'a": ': ': "x": ', "b\\": ["\\", '":'] };
    expect(maybePlainJson(JSON.stringify(value))).toEqual({ value });
  });

  test("still has its places, and is refused in the words of YAML", () => {
    const text = '{\n  "class": "Tool",\n  "steps": [\n    {"run": "x"}]}';
    expect(readYaml(text, options).placeOf(["steps", 0, "run"])).toEqual({ line: 4, column: 6 });
    expect(() => readYaml('{"a": 1,\n "a": 2}', options)).toThrow(
      'the key "a" for the second time at line 2',
    );
  });
});
