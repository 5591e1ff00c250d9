import fc from "fast-check";
import { expect, test } from "vitest";
import { gatherSources } from "#engines/cwl/flow/gather";
import { arrangeResults, shapeOf, taskInputs, widthOf } from "#engines/cwl/flow/scatter";
import type { ScatterMethod, Sink, Workflow, WorkflowStep } from "#engines/cwl/model/model";
import { secondaryName } from "#engines/cwl/values/files";

/** A plain model of the specification's rules about the values of steps. */
type Inputs = Readonly<Record<string, unknown>>;

/** Returns the inputs of all tasks, nested as the outputs of a nested cross product are. */
function crossed(names: readonly string[], inputs: Inputs): unknown {
  const [first, ...others] = names;
  if (first === undefined) return inputs;
  return (inputs[first] as unknown[]).map((item) => crossed(others, { ...inputs, [first]: item }));
}

function scattered(method: ScatterMethod, names: readonly string[], inputs: Inputs): unknown {
  if (method === "nested_crossproduct") return crossed(names, inputs);
  if (method === "flat_crossproduct") return (crossed(names, inputs) as unknown[]).flat(names.length - 1);
  return (inputs[names[0]!] as unknown[]).map((_, index) => ({
    ...inputs,
    ...Object.fromEntries(names.map((name) => [name, (inputs[name] as unknown[])[index]])),
  }));
}

const NAMES = ["a", "b", "c"];
const METHODS = fc.constantFrom<ScatterMethod>("dotproduct", "nested_crossproduct", "flat_crossproduct");

test("a scatter has the tasks and the shape that its method says", () => {
  fc.assert(
    fc.property(
      METHODS,
      fc.integer({ min: 1, max: 3 }),
      fc.array(fc.integer({ min: 0, max: 4 }), { minLength: 3, maxLength: 3 }),
      (scatterMethod, count, widths) => {
        const scatter = NAMES.slice(0, count).toReversed();
        const widthAt = (at: number) => (scatterMethod === "dotproduct" ? widths[0]! : widths[at]!);
        const lists = NAMES.map((name, at) => [
          name,
          Array.from({ length: widthAt(at) }, (_, index) => `${name}${index}`),
        ]);
        const inputs = { ...(Object.fromEntries(lists) as Inputs), other: 5 };
        const step = { scatter, scatterMethod } as unknown as WorkflowStep;
        const shape = shapeOf(step, inputs, "The step");
        const tasks = Array.from({ length: widthOf(shape) }, (_, at) => taskInputs(step, inputs, shape, at));
        expect(arrangeResults(step, shape, tasks)).toEqual(scattered(scatterMethod, scatter, inputs));
      },
    ),
  );
});

function picked(values: readonly unknown[], how: Sink["pickValue"]): unknown {
  const there = values.filter((value) => value !== null);
  if (how === "all_non_null") return there;
  const isFound = how === "first_non_null" ? there.length > 0 : there.length === 1;
  return isFound ? there[0] : "an error";
}

/** Returns the value arriving at a sink with at least two sources. */
function arriving(values: readonly unknown[], { linkMerge, pickValue }: Sink): unknown {
  const merged: unknown[] = [];
  for (const value of values) {
    if (linkMerge === "merge_flattened" && Array.isArray(value)) merged.push(...(value as unknown[]));
    else merged.push(value);
  }
  return pickValue === undefined ? merged : picked(merged, pickValue);
}

const VALUE = fc.constantFrom<unknown>(null, 0, "", false, 7, [], [null], [1, null, 2], [[3]]);

test("sources are merged, and then a value is picked", () => {
  fc.assert(
    fc.property(
      fc.array(VALUE, { minLength: 2, maxLength: 4 }),
      fc.constantFrom("merge_nested", "merge_flattened"),
      fc.constantFrom(undefined, "first_non_null", "the_only_non_null", "all_non_null"),
      (values, linkMerge, pickValue) => {
        const sources = values.map((_, index) => [String(index)] as const);
        const sink: Sink = {
          sources,
          isList: true,
          linkMerge,
          hasLinkMerge: true,
          ...(pickValue && { pickValue }),
        };
        const scope = { kind: "scope", inputs: { ...values }, steps: [], left: 0 } as const;
        const result = () => gatherSources(sink, { steps: [] } as unknown as Workflow, scope, "The input");
        const expected = arriving(values, sink);
        if (expected === "an error") expect(result).toThrow(sink.pickValue);
        else expect(result()).toEqual(expected);
      },
    ),
  );
});

/** Applies a pattern as worded in the specification: each caret removes the text from the last period on. */
function patternApplied(basename: string, pattern: string): string {
  const [carets = ""] = /^\^*/.exec(pattern)!;
  let name = basename;
  for (let count = 0; count < carets.length; count += 1) name = name.replace(/(?<=[^.].*)\.[^.]*$/, "");
  return name + pattern.slice(carets.length);
}

test("a pattern names a secondary file", () => {
  const name = fc.stringMatching(/^[ab.]{1,8}$/);
  fc.assert(
    fc.property(name, fc.stringMatching(/^\^{0,3}[.^x]{0,3}$/), (basename, pattern) => {
      expect(secondaryName(basename, pattern)).toBe(patternApplied(basename, pattern));
    }),
    { numRuns: 500 },
  );
});
