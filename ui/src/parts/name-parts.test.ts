import { expect, test } from "vitest";
import { nameParts } from "./name-parts.ts";

test.each([
  ["fit.12.1", { start: "fit", end: "", number: ".12.1" }],
  ["fit", { start: "fit", end: "", number: "" }],
  [
    "a-very-long-analysis-of-run-2016B.119",
    { start: "a-very-long-analysis-of-run", end: "-2016B", number: ".119" },
  ],
])("%s is cut before the end and the number", (name, parts) => {
  expect(nameParts(name)).toEqual(parts);
});
