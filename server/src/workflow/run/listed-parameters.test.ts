import { expect, test } from "vitest";
import { linesWith, listedParameters, parametersIn } from "#workflow/run/listed-parameters";

const parameters = { half_life: 2, 'odd "name"=\n': "a=b\nc", list: [1, { a: null }], sample: "A" };

test("lists the given values, and reads the values back", () => {
  const text = listedParameters({ inputs: { parameters } }, { half_life: 3 });
  expect(parametersIn(text)).toEqual({ ...parameters, half_life: 3 });
  expect(parametersIn(listedParameters({}))).toEqual({});
});

test("leaves out long values and too many", () => {
  const long = { long: "x".repeat(300), short: "x" };
  expect(parametersIn(listedParameters({ inputs: { parameters: long } }))).toEqual({ short: "x" });
  const many = Object.fromEntries(Array.from({ length: 80 }, (_, index) => [`p${index}`, index]));
  expect(Object.keys(parametersIn(listedParameters({ inputs: { parameters: many } })))).toHaveLength(50);
});

test.each([
  ["half_life", "2", true],
  ["half_life", "2.0", true],
  ["half_life", "20", false],
  ["sample", "A", true],
  ["sample", "a", false],
  ["list", '[1, {"a": null}]', true],
  ['odd "name"=\n', "a=b\nc", true],
])("finds %j = %s: %s", (name, typed, isFound) => {
  const text = listedParameters({ inputs: { parameters } });
  expect(linesWith(name, typed).some((line) => text.includes(line))).toBe(isFound);
});
