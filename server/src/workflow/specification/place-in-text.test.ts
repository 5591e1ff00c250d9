import { expect, test } from "vitest";
import { readYaml } from "#plumbing/formats/yaml";
import { placeInText } from "#workflow/specification/place-in-text";

const TEXT = `inputs:
  parameters:
    a: 1
    a.b: 2
    a.b.c: {d: 3}
workflow:
  spec:
    steps:
      - {name: fit}
`;

test.each([
  ["", 1, 1],
  ["workflow", 6, 1],
  ["workflow.specification.steps.0", 9, 9],
  ["workflow.specification.steps.0.name", 9, 10],
  ["workflow.specification.steps.0.commands", 9, 9],
  ["inputs.parameters.a", 3, 5],
  ["inputs.parameters.a.b", 4, 5],
  ["inputs.parameters.a.b.c.d", 5, 13],
  ["inputs.parameters.nothing", 2, 3],
])("%s", (path, line, column) => {
  const text = readYaml(TEXT, { maxBytes: 1000, what: "reana.yaml" });
  expect(placeInText(text, path)).toEqual({ line, column });
});
