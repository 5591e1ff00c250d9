import { describe, expect, test } from "vitest";
import { inputFor, problemsOf, type Texts } from "#engines/cwl/cwl-fixture";
import type { CwlModel } from "#engines/cwl/model/model";

interface Link {
  readonly from: string;
  readonly to: string;
  /** Further fields of the step's input, or of the tool's input. */
  readonly input?: string;
  readonly parameter?: string;
  /** Other fields of the source step and of the receiving step. */
  readonly giver?: string;
  readonly taker?: string;
}

/** Returns a workflow with a link from the output of a step to the input of another step. */
function documentsOf({ from, to, input = "", parameter = "", giver = "", taker = "" }: Link): Texts {
  return {
    "main.cwl": `
cwlVersion: v1.2
class: Workflow
requirements: {InlineJavascriptRequirement: {}, ScatterFeatureRequirement: {}, MultipleInputFeatureRequirement: {}, StepInputExpressionRequirement: {}}
inputs: {number: int, numbers: "int[]"}
outputs: {}
steps:
  give: {run: give.cwl, in: {number: number}, out: [made]${giver}}
  take: {run: take.cwl, in: {wanted: {source: give/made${input}}}, out: []${taker}}
`,
    "give.cwl": `
cwlVersion: v1.2
class: ExpressionTool
requirements: {InlineJavascriptRequirement: {}}
inputs: {number: int}
outputs: {made: {type: ${from}}}
expression: "$({made: null})"
`,
    "take.cwl": `
cwlVersion: v1.2
class: CommandLineTool
baseCommand: "true"
inputs: {wanted: {type: ${to}${parameter}}}
outputs: {}
`,
  };
}

type Verdict = "fits" | "warning" | "error";

function judged(texts: Texts): { readonly verdict: Verdict; readonly message: string } {
  const [problem] = problemsOf(texts);
  if (problem) return { verdict: "error", message: problem.message };
  const [warning] = (inputFor(texts).model as CwlModel).warnings;
  return warning === undefined ? { verdict: "fits", message: "" } : { verdict: "warning", message: warning };
}

const RECORD = "{type: record, fields: {a: int, b: File}}";
const WIDER_RECORD = '{type: record, fields: {a: int, b: File, c: string, d: "File?"}}';
const OTHER_RECORD = "{type: record, fields: {a: string, b: File}}";
const OPTIONAL_RECORD = '{type: record, fields: {a: "int?", b: "File?"}}';
const COLOURS = "{type: enum, symbols: [red, green]}";

const PAIRS: readonly (readonly [from: string, to: string, Verdict])[] = [
  ["File", "File", "fits"],
  ["File", "Directory", "error"],
  ["File", "string", "error"],
  ["string", "File", "error"],
  ["int", "long", "fits"],
  ["int", "double", "fits"],
  ["long", "float", "fits"],
  ["long", "int", "warning"],
  ["double", "float", "warning"],
  ["float", "int", "error"],
  ["int", "string", "error"],
  ["int", "boolean", "error"],
  ["Any", "File", "fits"],
  ["File", "Any", "fits"],
  ['"File[]"', "Any", "fits"],
  ["Any", '"File[]?"', "fits"],
  ['"File?"', "Any", "warning"],
  ['"null"', "File", "error"],
  ['"null"', '"File?"', "fits"],
  ['"File?"', "File", "warning"],
  ["File", '"File?"', "fits"],
  ['"File?"', '"string?"', "error"],
  ["[File, Directory]", "File", "warning"],
  ["[File, Directory]", "[Directory, File, string]", "fits"],
  ["[File, string]", "[int, Directory]", "error"],
  ["File", '"File[]"', "error"],
  ['"File[]"', "File", "error"],
  ['"File[]"', '"File[]"', "fits"],
  ['"int[]"', '"double[]"', "fits"],
  ['"File[]"', '"string[]"', "error"],
  ['"File[]"', "[File, {type: array, items: File}]", "fits"],
  ['"File[]"', '"Any[]"', "fits"],
  ['{type: array, items: "File?"}', '"File[]"', "warning"],
  ['"File[][]"', '"File[]"', "error"],
  [RECORD, RECORD, "fits"],
  [WIDER_RECORD, RECORD, "fits"],
  [RECORD, WIDER_RECORD, "error"],
  [RECORD, OTHER_RECORD, "error"],
  [RECORD, OPTIONAL_RECORD, "fits"],
  [OPTIONAL_RECORD, RECORD, "warning"],
  [RECORD, "File", "error"],
  [RECORD, "Any", "fits"],
  [COLOURS, COLOURS, "fits"],
  [COLOURS, "{type: enum, symbols: [red, green, blue]}", "fits"],
  [COLOURS, "{type: enum, symbols: [red]}", "warning"],
  [COLOURS, "{type: enum, symbols: [blue]}", "error"],
  [COLOURS, "string", "fits"],
  ["string", COLOURS, "warning"],
  ["int", COLOURS, "error"],
];

describe("the source of a link and the target", () => {
  test.each(PAIRS)("%s → %s: %s", (from, to, verdict) => {
    expect(judged(documentsOf({ from, to }))).toMatchObject({ verdict });
  });
});

const NULLED = { from: '"int?"', to: "int" };
const SCATTER = ", scatter: number";

describe("the types between source and target", () => {
  test.each<[string, Link, Verdict]>([
    ["a default of the step's input", { ...NULLED, input: ", default: 1" }, "fits"],
    ["a default of the tool's input", { ...NULLED, parameter: ", default: 1" }, "fits"],
    ["a default for another type", { from: "string", to: "int", input: ", default: 1" }, "error"],
    ["an expression", { from: "File", to: "int", input: ", valueFrom: $(1)" }, "fits"],
    ["a condition before it", { ...NULLED, taker: ", when: $(inputs.wanted !== null)" }, "fits"],
    ["a step that may be skipped", { from: "int", to: "int", giver: ", when: $(true)" }, "warning"],
    ["one link as a list", { from: "int", to: '"int[]"', input: ", linkMerge: merge_nested" }, "fits"],
    ["lists in a list", { from: '"int[]"', to: '"int[]"', input: ", linkMerge: merge_nested" }, "error"],
    ["one list", { from: '"int[]"', to: '"int[]"', input: ", linkMerge: merge_flattened" }, "fits"],
    ["the first of a list", { from: '"int[]"', to: "int", input: ", pickValue: first_non_null" }, "fits"],
    ["all of a list", { from: '"int[]"', to: "int", input: ", pickValue: all_non_null" }, "error"],
    [
      "all that is there",
      { from: '{type: array, items: "int?"}', to: '"int[]"', input: ", pickValue: all_non_null" },
      "fits",
    ],
    ["a scatter over a list", { from: '"int[]"', to: "int", taker: ", scatter: wanted" }, "fits"],
    ["a scatter over one value", { from: "int", to: "int", taker: ", scatter: wanted" }, "error"],
    [
      "a scatter over what may be null",
      { from: '"int[]?"', to: "int", taker: ", scatter: wanted" },
      "warning",
    ],
    [
      "a scatter over a list for an expression",
      { from: '"File[]"', to: "int", taker: ", scatter: wanted", input: ", valueFrom: $(1)" },
      "fits",
    ],
  ])("%s", (_, link, verdict) => {
    expect(judged(documentsOf(link))).toMatchObject({ verdict });
  });

  test.each<[string, string, Verdict]>([
    ["the list that a scatter gives", '"int[]"', "fits"],
    ["not one of its items", "int", "error"],
  ])("%s", (_, to, verdict) => {
    const texts = documentsOf({ from: "int", to, giver: SCATTER });
    const main = texts["main.cwl"]!.replace("number: number}", "number: numbers}");
    expect(judged({ ...texts, "main.cwl": main })).toMatchObject({ verdict });
  });

  test.each<[string, string, string, Verdict]>([
    ["two links are a list", "[give/made, number]", '"int[]"', "fits"],
    ["two links are no single value", "[give/made, number]", "int", "error"],
    ["a list and an item, flattened", "[numbers, number], linkMerge: merge_flattened", '"int[]"', "fits"],
    ["a list and an item, nested", "[numbers, number]", '"int[]"', "warning"],
    ["the first of two", "[give/made, number], pickValue: first_non_null", "int", "fits"],
    ["one of two", "[give/made, number], pickValue: the_only_non_null", "int", "fits"],
    ["all of two", "[give/made, number], pickValue: all_non_null", "int", "error"],
  ])("%s", (_, sources, to, verdict) => {
    const texts = documentsOf({ from: '"int"', to });
    const main = texts["main.cwl"]!.replace("source: give/made", `source: ${sources}`);
    expect(judged({ ...texts, "main.cwl": main })).toMatchObject({ verdict });
  });
});

describe("a problem names step, port, types and place", () => {
  const texts = documentsOf({ from: "int", to: "File" });
  const change = (from: string, to: string): Texts => ({
    ...texts,
    "main.cwl": texts["main.cwl"]!.replace(from, to),
  });

  test("a link whose types do not meet", () => {
    expect(problemsOf(texts)).toEqual([
      {
        path: "steps.take.in.wanted.source",
        file: "main.cwl",
        line: 9,
        column: 39,
        message: "Step `take`, input `wanted` takes File, but its source `give/made` gives int.",
      },
    ]);
  });

  test("a link written in a single word", () => {
    const [problem] = problemsOf(change("{wanted: {source: give/made}}", "{wanted: give/made}"));
    expect(problem).toMatchObject({ path: "steps.take.in.wanted", line: 9, column: 30 });
  });

  test("a warning", () => {
    const { message } = judged(documentsOf({ from: '"int?"', to: "int" }));
    expect(message).toBe(
      "main.cwl, line 9, column 39: Step `take`, input `wanted` takes int, and its source `give/made` gives int?, which does not always fit.",
    );
  });

  test.each([
    [
      "in: {wanted: {source: give/made}}",
      "in: {}",
      "Step `take`, input `wanted` takes File, but has no source",
    ],
    [
      "{wanted: {source: give/made}}",
      "{wanted: {}}",
      "Step `take`, input `wanted` takes File, but has no source",
    ],
    ["source: give/made", "source: [number, numbers]", "(merge_nested) give (int or int[])[]."],
    ["outputs: {}", "outputs: {o: {type: string, outputSource: give/made}}", "output `o` is string, but"],
    ["out: [made]", "out: [made, mad]", "which is no output of give.cwl; did you mean `made`?"],
  ])("%s → %s", (from, to, sentence) => {
    expect(problemsOf(change(from, to)).map(({ message }) => message)).toContainEqual(
      expect.stringContaining(sentence),
    );
  });
});

describe("secondary files that a step cannot do without", () => {
  const tool = (give: string, take: string): Texts => ({
    ...documentsOf({ from: "File", to: "File", parameter: `, secondaryFiles: [${take}]` }),
    "give.cwl": `
cwlVersion: v1.2
class: CommandLineTool
baseCommand: "true"
inputs: {number: int}
outputs: {made: {type: File, outputBinding: {glob: a}, secondaryFiles: [${give}]}}
`,
  });

  test.each([
    [".bai", ".bai", "fits"],
    ["", ".bai", "warning"],
    ["", "'.bai?'", "fits"],
    [".crai", "{pattern: .bai, required: false}", "fits"],
  ])("[%s] for [%s]: %s", (give, take, verdict) => {
    expect(judged(tool(give, take))).toMatchObject({ verdict });
  });
});
