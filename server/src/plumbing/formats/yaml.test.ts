import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { stringify } from "yaml";

import { Refusal } from "#plumbing/errors";
import { refusalOf } from "#plumbing/refusal-fixture";
import { findJsonProblem } from "#plumbing/formats/json";
import { parseYaml, readYaml, warningSentences } from "#plumbing/formats/yaml";

function parse(text: string): unknown {
  return parseYaml(text, { maxBytes: 1_000_000, what: "reana.yaml" });
}

const refusalIn = (text: string) => refusalOf(() => parse(text));

describe("a plain word has PyYAML's meaning", () => {
  test.each([
    ["yes", true],
    ["Off", false],
    ["y", "y"],
    ["TRUE", true],
    ["tRUE", "tRUE"],
    ["", null],
    ["~", null],
    ["12", 12],
    ["-1_000", -1000],
    ["0777", 511],
    ["08", "08"],
    ["0", 0],
    ["0x1F", 31],
    ["0b101", 5],
    ["0o17", "0o17"],
    ["1:30", 90],
    ["1.5", 1.5],
    ["1.0e+3", 1000],
    ["1e3", "1e3"],
    [".5", 0.5],
    ["-.5", "-.5"],
    ["+.5e+3", "+.5e+3"],
    ["-.nan", "-.nan"],
    ["1.5e3", "1.5e3"],
    ["-1.5e-3", -0.0015],
    ["+010", 8],
    ["1:60", "1:60"],
    ["-190:20:30", -685_230],
    ["1:30.5", 90.5],
    ["01:30", "01:30"],
    ["2026-11-21", "2026-11-21"],
    ["0.9.4", "0.9.4"],
    ["'12'", "12"],
    ['"yes"', "yes"],
    ["!!str 12", "12"],
    ['!!int "12"', 12],
    ["=", "="],
    ["${a} | b", "${a} | b"],
  ])("%j", (word, value) => {
    expect(parse(`a: ${word}`)).toEqual({ a: value });
  });

  test("also as a key, which becomes text", () => {
    expect(parse("1: a\nyes: b\n~: c\n1.5: d")).toEqual({ "1": "a", true: "b", null: "c", "1.5": "d" });
  });
});

describe("a plain word in the core schema of YAML 1.2", () => {
  test.each([
    ["true", true],
    ["False", false],
    ["yes", "yes"],
    ["off", "off"],
    ["", null],
    ["~", null],
    ["Null", null],
    ["12", 12],
    ["+12", 12],
    ["0777", 777],
    ["08", 8],
    ["0o17", 15],
    ["0x1F", 31],
    ["0b101", "0b101"],
    ["1_000", "1_000"],
    ["1:30", "1:30"],
    ["1e3", 1000],
    ["-1.5E-1", -0.15],
    ["5.", 5],
    [".5", 0.5],
    [".", "."],
    ["v1.2", "v1.2"],
    ["2026-11-21", "2026-11-21"],
    ["'12'", "12"],
    ['!!int "12"', 12],
    ["$(inputs.a)", "$(inputs.a)"],
  ])("%j", (word, value) => {
    expect(parseYaml(`a: ${word}`, { maxBytes: 100, what: "a.cwl", schema: "core" })).toEqual({ a: value });
  });

  test("aliases and merges remain, and infinity is refused", () => {
    const core = { maxBytes: 100, what: "a.cwl", schema: "core" } as const;
    expect(parseYaml("a: &a {x: yes}\nb: {<<: *a, y: 1}", core)).toEqual({
      a: { x: "yes" },
      b: { x: "yes", y: 1 },
    });
    expect(() => parseYaml("a: -.INF", core)).toThrow(
      "a number that JSON cannot represent at line 1, column 4",
    );
  });

  test("JSON of any number is read as JSON reads it", () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (number) => {
        const text = JSON.stringify({ a: number });
        expect(parseYaml(text, { maxBytes: 100, what: "a.json", schema: "core" })).toEqual(JSON.parse(text));
      }),
    );
  });
});

describe("the place of a part", () => {
  const TEXT = `version: 1
inputs:
  files: [a, b]
base: &base
  image: x
  more: {deep: 1}
steps:
  - name: fit
    <<: *base
    commands:
      - echo
      - exit
  - *base
  - <<: [{own: 1}, *base]
`;
  const { placeOf } = readYaml(TEXT, { maxBytes: 1000, what: "reana.yaml" });

  test.each([
    [[], 1, 1],
    [["version"], 1, 1],
    [["inputs", "files"], 3, 3],
    [["inputs", "files", 1], 3, 14],
    [["steps", 0], 8, 5],
    [["steps", 0, "commands", 1], 12, 9],
    // A value from an alias or a merge has the place of its definition.
    [["steps", 1], 13, 5],
    [["steps", 1, "image"], 5, 3],
    [["steps", 0, "more", "deep"], 6, 10],
    [["steps", 2, "own"], 14, 11],
    [["steps", 2, "image"], 5, 3],
    // A missing part has the place of its nearest existing ancestor.
    [["steps", 0, "commands", 7], 10, 5],
    [["steps", 9, "commands"], 7, 1],
    [["inputs", "parameters", "n"], 2, 1],
    [["version", "of", "nothing"], 1, 1],
  ])("%j", (path, line, column) => {
    expect(placeOf(path)).toEqual({ line, column });
  });

  test("exists in JSON, and in an empty text", () => {
    const at = (text: string, path: (string | number)[]) =>
      readYaml(text, { maxBytes: 1000, what: "w.json" }).placeOf(path);
    expect(at('{\n  "a": [1,\n   {"b": 2}]\n}', ["a", 1, "b"])).toEqual({ line: 3, column: 5 });
    expect(at("", ["a"])).toEqual({ line: 1, column: 1 });
    expect(at("~: 1\n1: 2", ["1"])).toEqual({ line: 2, column: 1 });
  });
});

describe("anchors, aliases and merges", () => {
  test("an alias is a copy, of the last anchor before it", () => {
    expect(parse("- &a {x: &b 1}\n- &b 2\n- *a\n- *b\n- &a 3\n- *a")).toEqual([
      { x: 1 },
      2,
      { x: 1 },
      2,
      3,
      3,
    ]);
    expect(parse("&k a: 1\nb: *k")).toEqual({ a: 1, b: "a" });
    expect(parse("a: &k x\n*k : 1")).toEqual({ a: "x", x: 1 });
  });

  test("a merge yields to the mapping's own keys, and the earlier of two wins", () => {
    expect(parse("a: &a {x: 1, y: 1}\nb: {<<: *a, y: 2}")).toEqual({ a: { x: 1, y: 1 }, b: { x: 1, y: 2 } });
    expect(parse("<<: [{x: 1}, {x: 2, y: 2}]\nz: 3")).toEqual({ x: 1, y: 2, z: 3 });
    expect(parse('"<<": 1')).toEqual({ "<<": 1 });
  });
});

describe("refused with line and column", () => {
  test.each([
    ["a: 1\nb: [1, 2\nc: 3", /at line 3, column 1\.$/],
    ["a: b: c", /nested mappings are not allowed in compact mappings at line 1, column 4\.$/],
    ["a: 1\n\tb: 2", /at line 2, column 1\.$/],
    ["a: *nobody", /an alias of "nobody", which is no anchor before it, at line 1, column 4\.$/],
    ["a: 1\n---\nb: 2", /a second document begins at line 2, column 1\.$/],
    ["a: .inf", /a number that JSON cannot represent at line 1, column 4\.$/],
    ["a: !!python/object/apply:os.system [ls]", /a tag that has no meaning here at line 1, column 4\.$/],
    ["a: !!binary aGk=", /a tag that has no meaning here at line 1, column 4\.$/],
    ["a: !!set {b, c}", /a tag that has no meaning here at line 1, column 4\.$/],
    ["? [a, b]\n: 1", /a key that is no single word or text at line 1, column 3\.$/],
    ["x:\n  __proto__: {a: 1}", /the key "__proto__", which is not allowed, at line 2, column 3\.$/],
    ["<<: 3", /"<<" without a mapping or a list of mappings at line 1, column 5\.$/],
    ["a: &a [*a]", /more than 100 levels of nested lists and mappings at line 1, column 7\.$/],
    [`${"[".repeat(101)}${"]".repeat(101)}`, /more than 100 levels of nested lists and mappings at line 1/],
  ])("%j", (text, expected) => {
    const sentence = refusalIn(text);
    expect(sentence).toMatch(/^reana\.yaml is not valid YAML: /);
    expect(sentence).toMatch(expected);
  });
});

describe("bombs end early", () => {
  test("aliases of aliases", () => {
    const lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"];
    for (let i = 1; i < 10; i += 1)
      lines.push(
        `a${i}: &a${i} [${Array(10)
          .fill(`*a${i - 1}`)
          .join(", ")}]`,
      );
    expect(refusalIn(lines.join("\n"))).toMatch(/aliases that stand for more than 10000 values at line \d+/);
  });

  test("merges of merges", () => {
    const lines = ["a0: &a0 {x: [1, 2, 3, 4, 5, 6, 7, 8]}"];
    for (let i = 1; i < 12; i += 1)
      lines.push(
        `a${i}: &a${i} {<<: [${Array(8)
          .fill(`*a${i - 1}`)
          .join(", ")}]}`,
      );
    expect(refusalIn(lines.join("\n"))).toMatch(/aliases that stand for more than 10000 values/);
  });

  test("hundreds of thousands of brackets", () => {
    for (const text of [
      "[".repeat(300_000),
      "{a: ".repeat(100_000),
      "- ".repeat(100_000),
      "? ".repeat(100_000),
    ]) {
      expect(refusalIn(text)).toContain("more than 100 levels of nested lists and mappings");
    }
  });

  test("brackets inside words do not count as levels", () => {
    const words = Array.from({ length: 200 }, () => '  - |\n    [\n  - "["\n  - a[\n').join("");
    expect((parse(`a:\n${words}`) as { a: string[] }).a).toHaveLength(600);
  });

  test("many keys, and many anchors", () => {
    const keys = Array.from({ length: 20_000 }, (_, i) => `k${i}: &a${i} 1`);
    const aliases = Array.from({ length: 5000 }, (_, i) => `l${i}: *a${i}`);
    expect(Object.keys(parse([...keys, ...aliases].join("\n")) as object)).toHaveLength(25_000);
  });

  test("too many bytes", () => {
    expect(() => parseYaml("é".repeat(6), { maxBytes: 11, what: "main.yml" })).toThrow(
      new Refusal("malformed", "main.yml is larger than 11 bytes, which is the maximum."),
    );
  });
});

test("any JSON value that was written as YAML 1.1 comes back", () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 4 }), (value) => {
      fc.pre(!JSON.stringify(value).includes("__proto__"));
      // Without exponents, which JSON and YAML 1.1 write differently.
      const plain: unknown = JSON.parse(JSON.stringify(value), (_, part) =>
        typeof part === "number" ? Math.trunc(part % 1e6) + 0 : part,
      );
      expect(
        parse(stringify(plain, { version: "1.1", defaultStringType: "QUOTE_DOUBLE", lineWidth: 0 })),
      ).toEqual(plain);
    }),
  );
});

test("any text is JSON afterwards, or refused", () => {
  const piece = fc.constantFrom(
    "a",
    ": ",
    "- ",
    "\n",
    "  ",
    "[",
    "]",
    "{",
    "}",
    ",",
    "&x ",
    "*x",
    "'",
    '"',
    "|",
    "!!",
    "#",
    "<<",
    "? ",
    "%",
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 20 }), (pieces) => {
      try {
        expect(findJsonProblem(parse(pieces.join("")))).toBeUndefined();
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
      }
    }),
    { numRuns: 3000 },
  );
});

describe("text accepted by PyYAML is read", () => {
  test.each<[string, unknown]>([
    ["cmd: 'echo one &&\necho two'\nb: 1\n", { cmd: "echo one && echo two", b: 1 }],
    ['- a: "one\n\n  two\nthree"\n  b: 1\n', [{ a: "one\ntwo three", b: 1 }]],
    ["a:\n  b: [1,\n2,\n  three\nfour]\n  c: 3\n", { a: { b: [1, 2, "three four"], c: 3 } }],
    ["a:\n  b: {\nx: 'y\nz',\n}\nc: 1\n", { a: { b: { x: "y z" } }, c: 1 }],
    ["a:\n  - 'x\ny': 1\n    b: 2\n", undefined],
    ["a: 'x\n---\ny'\n", undefined],
  ])("%j", (text, value) => {
    if (value === undefined) expect(refusalIn(text)).toMatch(/is not valid YAML/);
    else expect(parse(text)).toEqual(value);
  });

  test("a repeated key has the last value, with a warning", () => {
    const document = readYaml("a: 1\nb: {c: 1}\na: {x: 2,\n  x: 3}\n'1': a\n1: b\n", {
      maxBytes: 1000,
      what: "reana.yaml",
    });
    expect(document.value).toEqual({ a: { x: 3 }, b: { c: 1 }, 1: "b" });
    expect(document.placeOf(["a", "x"])).toEqual({ line: 4, column: 3 });
    expect(warningSentences(document, "reana.yaml")).toEqual([
      'reana.yaml, line 3, column 1: The key "a" is given twice: the last one counts.',
      'reana.yaml, line 4, column 3: The key "x" is given twice: the last one counts.',
      'reana.yaml, line 6, column 1: The key "1" is given twice: the last one counts.',
    ]);
  });

  test("but CWL forbids repeated keys, and CWL readers refuse the keys", () => {
    const options = { maxBytes: 1000, what: "main.cwl", schema: "core" } as const;
    expect(refusalOf(() => parseYaml("a: 1\na: 2\n", options))).toMatch(
      /the key "a" for the second time at line 2, column 1\.$/,
    );
  });
});
