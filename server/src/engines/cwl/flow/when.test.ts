import fc from "fast-check";
import { expect, test } from "vitest";
import { createCwlEngine } from "#engines/cwl/cwl-engine";
import { inputFor, instructionsOf, lastOf } from "#engines/cwl/cwl-fixture";
import { loadJavaScript } from "#plumbing/javascript/evaluate";

const evaluate = await loadJavaScript();
const engine = createCwlEngine();

type Scatter = "none" | "dotproduct" | "flat_crossproduct" | "nested_crossproduct";
type Pick = "first_non_null" | "the_only_non_null" | "all_non_null";

interface Case {
  readonly a: readonly number[];
  readonly b: readonly number[];
  readonly least: number;
  readonly scatter: Scatter;
  readonly pickValue: Pick | undefined;
}

/** A step that adds `a` and `b` if `a` is at least `least`. `pickValue` chooses between its output and `other`. */
function workflow({ scatter, pickValue }: Case): string {
  const scattered = scatter !== "none" && { scatter: ["a", "b"], scatterMethod: scatter };
  const sum = {
    class: "ExpressionTool",
    inputs: { a: "int", b: "int" },
    outputs: { o: "int" },
    expression: "${ return { o: inputs.a + inputs.b }; }",
  };
  return JSON.stringify({
    cwlVersion: "v1.2",
    class: "Workflow",
    requirements: {
      InlineJavascriptRequirement: {},
      ScatterFeatureRequirement: {},
      MultipleInputFeatureRequirement: {},
    },
    inputs: { a: "Any", b: "Any", least: "int", other: "Any?" },
    outputs: {
      made: { type: "Any?", outputSource: "add/o" },
      ...(pickValue && { picked: { type: "Any?", outputSource: ["add/o", "other"], pickValue } }),
    },
    steps: {
      add: {
        ...scattered,
        when: "$(inputs.a >= inputs.least)",
        in: { a: "a", b: "b", least: "least" },
        out: ["o"],
        run: sum,
      },
    },
  });
}

/** Returns the output of the step according to the specification: null for each task that does not run. */
function modelOf({ a, b, least, scatter }: Case): unknown {
  const one = (x: number, y: number) => (x >= least ? x + y : null);
  switch (scatter) {
    case "none":
      return one(a[0]!, b[0]!);
    case "dotproduct":
      return a.map((x, index) => one(x, b[index]!));
    case "flat_crossproduct":
      return a.flatMap((x) => b.map((y) => one(x, y)));
    case "nested_crossproduct":
      return a.map((x) => b.map((y) => one(x, y)));
  }
}

function picked(values: readonly unknown[], how: Pick): unknown {
  const there = values.filter((value) => value !== null);
  if (how === "all_non_null") return there;
  return how === "first_non_null" || there.length === 1 ? (there[0] ?? "a failure") : "a failure";
}

const NUMBERS = fc.array(fc.integer({ min: 0, max: 9 }), { minLength: 3, maxLength: 3 });
const CASE: fc.Arbitrary<Case> = fc.record({
  a: NUMBERS,
  b: NUMBERS,
  least: fc.integer({ min: 0, max: 10 }),
  scatter: fc.constantFrom<Scatter>("none", "dotproduct", "flat_crossproduct", "nested_crossproduct"),
  pickValue: fc.constantFrom(undefined, "first_non_null", "the_only_non_null", "all_non_null"),
});

test("a step with a condition gives null in place of what does not run", () => {
  fc.assert(
    fc.property(CASE, fc.constantFrom(null, 5), (one, other) => {
      const { a, b, least, scatter, pickValue } = one;
      const given = scatter === "none" ? { a: a[0], b: b[0] } : { a, b };
      const input = inputFor({ "main.cwl": workflow(one) }, { ...given, least, other });
      const made = modelOf(one);
      const choice = pickValue && picked([made, other], pickValue);
      const last = lastOf(engine.load(input, evaluate));
      const outputs = pickValue === undefined ? { made } : { made, picked: choice };
      const failure = { do: "fail", reason: expect.stringContaining(String(pickValue)) as string };
      expect(last).toEqual(choice === "a failure" ? failure : { do: "finish", outputs });
    }),
    { numRuns: 30 },
  );
});

test("a finished run expects the actual jobs: conditionally skipped jobs do not count", () => {
  const tool = {
    class: "CommandLineTool",
    baseCommand: "make",
    inputs: { n: "int" },
    outputs: {},
  };
  const document = JSON.stringify({
    cwlVersion: "v1.2",
    class: "Workflow",
    requirements: { InlineJavascriptRequirement: {}, ScatterFeatureRequirement: {} },
    inputs: { ns: "int[]" },
    outputs: {},
    steps: { some: { scatter: "n", when: "$(inputs.n > 1)", in: { n: "ns" }, out: [], run: tool } },
  });
  const input = inputFor({ "main.cwl": document }, { ns: [1, 2, 3, 0] });
  const all = instructionsOf(engine.load(input, evaluate));
  expect(all.filter((one) => one.do === "submit")).toHaveLength(2);
  expect(all.findLast((one) => one.do === "expect")).toEqual({ do: "expect", jobs: 2 });
});
