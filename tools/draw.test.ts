import { expect, test } from "vitest";
import { drawn } from "./draw.ts";

const CASES = Array.from({ length: 31 }, (_, index) => `case-${index}`);
const self = (name: string) => name;

test("a commit draws a fixed part of the cases, in order", () => {
  const cases = drawn(CASES, 2, self, "one");
  expect(cases).toHaveLength(16);
  expect(CASES.filter((name) => cases.includes(name))).toEqual(cases);
  expect(drawn(CASES, 2, self, "one")).toEqual(cases);
});

test("another commit draws other cases", () => {
  expect(drawn(CASES, 2, self, "another")).not.toEqual(drawn(CASES, 2, self, "one"));
});

test("no case is left out for ever", () => {
  const draws = Array.from({ length: 50 }, (_, index) => drawn(CASES, 2, self, `commit ${index}`));
  expect(new Set(draws.flat()).size).toBe(CASES.length);
});
