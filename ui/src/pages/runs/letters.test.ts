import { expect, test } from "vitest";
import { letterer } from "./letters.ts";

test("the same letter means the same content", () => {
  const letterOf = letterer();
  expect(["x", "y", "x"].map(letterOf)).toEqual(["a", "b", "a"]);
  const many = Array.from({ length: 26 }, (_, index) => letterOf(`${index}`));
  expect(many.slice(-3)).toEqual(["z", "aa", "ab"]);
});
