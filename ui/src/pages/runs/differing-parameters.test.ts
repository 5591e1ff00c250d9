import { expect, test } from "vitest";
import { byParameter, differingParameters, parameterText } from "./differing-parameters.ts";

const run = (parameters: Readonly<Record<string, unknown>>) => ({ parameters });
const runs = [
  run({ n: 10, sample: "A", list: [1] }),
  run({ n: 9, sample: "A", list: [1] }),
  run({ sample: "A", list: [1] }),
];

test("only differences are columns, with numbers by size", () => {
  expect(differingParameters(runs)).toEqual(["n"]);
  expect(differingParameters([])).toEqual([]);
  expect(runs.map((one) => parameterText(one, "n"))).toEqual(["10", "9", "–"]);
  expect(runs.slice(0, 2).toSorted(byParameter("n"))).toEqual([runs[1], runs[0]]);
});
