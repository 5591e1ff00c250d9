import { expect, test } from "vitest";
import { changedValues, declaredIn, textsOf } from "./parameters.ts";

const DECLARED = { n: 3, name: "fit", list: [1, 2], flag: true };

test("the form begins with the values of the run, and sends only what was changed, in its kind", () => {
  const definition = { specification: { inputs: { parameters: { n: 3 } } }, parameters: { n: 4 } };
  expect(declaredIn(definition)).toEqual({ n: 4 });
  const texts = textsOf(DECLARED);
  expect(texts).toEqual({ n: "3", name: "fit", list: "[1,2]", flag: "true" });
  expect(changedValues(DECLARED, texts)).toEqual({});
  expect(changedValues(DECLARED, { ...texts, n: "5", name: "7", list: "[3]", flag: "false" })).toEqual({
    n: 5,
    name: "7",
    list: [3],
    flag: false,
  });
  expect(changedValues(DECLARED, { ...texts, n: "many" })).toEqual({ n: "many" });
});
