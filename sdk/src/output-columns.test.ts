import { expect, test } from "vitest";
import { columnNames, Letters, outputsTogether } from "./output-columns.ts";

test("equal letters mean equal content", () => {
  const letters = new Letters();
  expect(letters.areUsed).toBe(false);
  expect(["x", "y", "x"].map((content) => letters.of(content))).toEqual(["a", "b", "a"]);
  const many = Array.from({ length: 26 }, (_, index) => letters.of(`${index}`));
  expect(many.slice(-3)).toEqual(["z", "aa", "ab"]);
  expect(letters.areUsed).toBe(true);
});

test("up to four outputs have a column each, in order", () => {
  expect(columnNames(["d", "b", "a", "b", "c"])).toEqual(["a", "b", "c", "d"]);
  expect(columnNames(["a", "b", "c", "d", "e"])).toBeUndefined();
});

test("outputs together are equal if each of them is, in whichever order they are listed", () => {
  const [one, two] = [
    { name: "one", bytes: 1, sha256: "A" },
    { name: "two", bytes: 2, sha256: "B" },
  ];
  expect(outputsTogether([])).toBeUndefined();
  expect(outputsTogether([one, two])).toEqual(outputsTogether([two, one]));
  expect(outputsTogether([one, two])).toMatchObject({ bytes: 3 });
  const swapped = outputsTogether([
    { ...one, sha256: "B" },
    { ...two, sha256: "A" },
  ]);
  expect(swapped!.content).not.toBe(outputsTogether([one, two])!.content);
});
