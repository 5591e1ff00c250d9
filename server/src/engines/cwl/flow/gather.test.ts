import { expect, test } from "vitest";
import { gatherSources } from "#engines/cwl/flow/gather";
import type { PickValue, Workflow } from "#engines/cwl/model/model";

function picked(value: unknown, pickValue: PickValue, isList: boolean) {
  const sink = {
    sources: [["value"]],
    isList,
    linkMerge: "merge_nested",
    hasLinkMerge: false,
    pickValue,
  } as const;
  const scope = { kind: "scope", inputs: { value }, steps: [], left: 0 } as const;
  return gatherSources(sink, { steps: [] } as unknown as Workflow, scope, "The output");
}

test.each([
  [null, "all_non_null", true, []],
  [7, "all_non_null", true, [7]],
  [[1, null], "all_non_null", true, [1]],
  [[1, null], "all_non_null", false, [1]],
  [7, "first_non_null", true, 7],
  [7, "the_only_non_null", false, 7],
] as const)("a source that is %j, with %s, in a list: %s", (value, how, isList, expected) => {
  expect(picked(value, how, isList)).toEqual(expected);
});
