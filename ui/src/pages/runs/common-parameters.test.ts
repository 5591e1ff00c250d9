import { expect, test } from "vitest";
import { commonParameters } from "./common-parameters.ts";

const definition = (parameters: object) => ({ specification: {}, parameters });

test("the form has the common parameters of all runs, with values", () => {
  const [first, second] = [definition({ n: 1, list: [1], only: 1 }), definition({ n: 2, list: [1] })];
  expect(commonParameters([first, second])).toEqual([
    { name: "n", values: [1, 2] },
    { name: "list", values: [[1]] },
  ]);
  expect(commonParameters([])).toEqual([]);
});
