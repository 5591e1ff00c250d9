import { expect, test } from "vitest";
import { marksOf } from "./marks.ts";

const TEXT = `version: 0.9.1
inputs:
  parameters:
    a.b: 1
workflow:
  type: serial
  spec:
    steps:
      - name: one
        commands: [echo]
      - name: two
        comands: [echo]
`;

const placed = (path: string) => {
  const [mark] = marksOf(TEXT, { stopping: [{ path, message: "wrong" }], noted: [] });
  return [mark!.line, mark!.column];
};

test.each([
  ["workflow.type", [6, 3]],
  ["workflow.specification.steps.1.comands", [12, 9]],
  ["workflow.specification.steps.1", [11, 9]],
  ["inputs.parameters.a.b", [4, 5]],
  ["inputs.options", [2, 1]],
  ["outputs.files", [1, 1]],
  ["", [1, 1]],
])("the place of %s is line and column %j", (path, place) => {
  expect(placed(path)).toEqual(place);
});

test("marks come in the order of the lines, each with its weight", () => {
  const fault = (path: string) => ({ path, message: path });
  const marks = marksOf(TEXT, { stopping: [fault("workflow.type")], noted: [fault("version")] });
  expect(marks.map(({ line, stops }) => [line, stops])).toEqual([
    [1, false],
    [6, true],
  ]);
});
