import fc from "fast-check";
import { expect, test } from "vitest";
import { SOME_RUN } from "#engines/contract-suite";
import { createCwlEngine } from "#engines/cwl/cwl-engine";
import { lastOf, requestFor } from "#engines/cwl/cwl-fixture";
import { prepareCwl } from "#engines/cwl/cwl-preparation";
import { isMapping } from "#engines/cwl/model/json";
import { loadJavaScript } from "#plumbing/javascript/evaluate";

/** Documents that are broken at random: the engine returns a result or a sentence, and never throws. */
const evaluate = await loadJavaScript();
const engine = createCwlEngine();

const TOOL = {
  class: "CommandLineTool",
  requirements: {
    InlineJavascriptRequirement: { expressionLib: ["var one = 1;"] },
    ShellCommandRequirement: {},
    ResourceRequirement: { coresMin: "$(one)", ramMin: 5 },
    EnvVarRequirement: { envDef: { NAME: "$(inputs.text)" } },
    InitialWorkDirRequirement: {
      listing: [{ entryname: "a", entry: "$(inputs.file)", writable: true }, "$(inputs.files)"],
    },
    SchemaDefRequirement: { types: [{ name: "Kind", type: "enum", symbols: ["a", "b"] }] },
    ToolTimeLimit: { timelimit: 5 },
  },
  hints: [{ class: "DockerRequirement", dockerPull: "image" }],
  baseCommand: ["cat", "-"],
  arguments: ["x", { valueFrom: "$(inputs.text)", position: 2, prefix: "-p", shellQuote: false }],
  stdin: "$(inputs.file.path)",
  stdout: "$(inputs.text).out",
  successCodes: [0, 1],
  inputs: {
    text: { type: "string?", default: "t", inputBinding: { position: "$(self.length)" } },
    kind: { type: "Kind", default: "a" },
    file: {
      type: "File",
      default: { class: "File", path: "f", secondaryFiles: [{ class: "File", path: "g" }] },
      secondaryFiles: [{ pattern: "^.i?", required: "$(false)" }],
      loadContents: true,
      format: "x:a",
    },
    files: { type: "File[]", default: [{ class: "File", basename: "l", contents: "c" }] },
    folder: { type: ["null", "Directory"], loadListing: "deep_listing" },
    record: {
      type: [
        "null",
        { type: "record", fields: { a: "int", b: { type: "File", inputBinding: { prefix: "-b" } } } },
      ],
    },
  },
  outputs: {
    made: { type: "stdout", format: "$(inputs.file.format)" },
    all: { type: "File[]", outputBinding: { glob: ["*", "$(runtime.outdir)"], loadContents: true } },
    count: { type: "int", outputBinding: { glob: "*.txt", outputEval: "$(self.length)" } },
  },
};

const DOCUMENT = {
  cwlVersion: "v1.2",
  $namespaces: { x: "http://x.org/" },
  $graph: [
    { id: "tool", ...TOOL },
    {
      id: "main",
      class: "Workflow",
      requirements: [{ class: "InlineJavascriptRequirement" }, { class: "ScatterFeatureRequirement" }],
      inputs: {
        texts: { type: "string[]", default: ["a", "b"] },
        wanted: { type: "boolean", default: true },
      },
      outputs: {
        made: {
          type: { type: "array", items: "File" },
          outputSource: ["each/made"],
          linkMerge: "merge_flattened",
        },
        last: { type: "Any", outputSource: ["last/o", "wanted"], pickValue: "first_non_null" },
      },
      steps: {
        each: {
          run: "#tool",
          scatter: ["text"],
          scatterMethod: "dotproduct",
          when: "$(inputs.wanted)",
          in: { text: "texts", wanted: { source: "wanted", valueFrom: "$(self)" }, kind: { default: "b" } },
          out: ["made", { id: "count" }],
        },
        last: {
          run: {
            class: "ExpressionTool",
            inputs: { counts: "Any" },
            outputs: { o: "Any" },
            expression: "${ return {o: {class: 'File', basename: 'n', contents: String(inputs.counts)}}; }",
          },
          in: { counts: "each/count" },
          out: ["o"],
        },
      },
    },
  ],
};

type Path = readonly (string | number)[];

function pathsIn(value: unknown, path: Path = []): Path[] {
  if (Array.isArray(value)) return [path, ...value.flatMap((item, index) => pathsIn(item, [...path, index]))];
  if (!isMapping(value)) return [path];
  return [path, ...Object.entries(value).flatMap(([key, item]) => pathsIn(item, [...path, key]))];
}

/** Returns a value with its part at a path replaced. Undefined removes the part. */
function replaced(value: unknown, [first, ...rest]: Path, other: unknown): unknown {
  if (first === undefined) return other;
  if (Array.isArray(value))
    return value.map((item, index) => (index === first ? replaced(item, rest, other) : (item as unknown)));
  if (!isMapping(value)) return value;
  return { ...value, [first]: replaced(value[first], rest, other) };
}

const WORDS = [
  "",
  "null",
  "Any",
  "File",
  "File[]?",
  "Directory",
  "record",
  "../x",
  "/etc/passwd",
  "#main",
  "main.cwl",
  "a/b",
  "%",
  "100%zz",
  "$(",
  "${",
  "$(inputs)",
  "$(inputs.file)",
  "$(self)",
  "$(runtime)",
  "$(null)",
  "${ return {}; }",
  "$([[1]])",
  "${ throw 1; }",
  "$(inputs.file.path",
  "\\$(x)",
  "__proto__",
  "constructor",
  "\u0000",
  "\ud800",
  "deep_listing",
  "stdin",
];
const OTHER = fc.oneof(
  fc.constantFrom<unknown>(
    undefined,
    null,
    true,
    0,
    -1,
    1.5,
    1e300,
    [],
    {},
    [null],
    { class: "File" },
    { class: "Directory" },
  ),
  fc.constantFrom<unknown>(...WORDS),
  fc.constantFrom<unknown>(
    { class: "File", location: 5, path: [] },
    { class: "File", contents: null, basename: "../a", secondaryFiles: "x", listing: [1] },
    {
      class: "Directory",
      listing: [{ class: "File", contents: "a", basename: "b" }, { class: "Directory" }],
    },
    { type: "array", items: { type: "record", fields: [{ name: "a", type: "array" }] } },
    { $import: "main.cwl" },
    { $include: "main.cwl" },
  ),
  fc.jsonValue({ maxDepth: 2 }),
);
const PATHS = pathsIn(DOCUMENT).slice(1);
const BREAKS = fc.array(fc.tuple(fc.constantFrom(...PATHS), OTHER), { minLength: 1, maxLength: 4 });

test("a document that is broken at random gets a result or a sentence", () => {
  const seen = { refused: 0, finished: 0, failed: 0 };
  fc.assert(
    fc.property(BREAKS, (breaks) => {
      const broken = breaks.reduce<unknown>((value, [path, other]) => replaced(value, path, other), DOCUMENT);
      const made = prepareCwl(requestFor("main.cwl"), { "main.cwl": JSON.stringify(broken) });
      if (made.kind !== "ready") return void (seen.refused += 1);
      const last = lastOf(
        engine.load({ ...requestFor("main.cwl"), model: made.model, run: SOME_RUN }, evaluate),
      );
      if (last.do === "finish") seen.finished += 1;
      else if (last.do === "fail") seen.failed += 1;
      expect(["finish", "fail"]).toContain(last.do);
    }),
    { numRuns: 40, seed: 18 },
  );
  expect(seen.refused).toBeGreaterThan(0);
});
