import { expect, test } from "vitest";
import { placesIn } from "./places-in.ts";

test("places of files are told apart from the sentences around them", () => {
  const text =
    "Workflow fit.1 could not be started. tools/fit.cwl, line 3, column 5: No such input.\nSnakefile, line 7: x";
  expect(placesIn(text)).toEqual([
    { text: "Workflow fit.1 could not be started. " },
    { text: "tools/fit.cwl, line 3, column 5", file: "tools/fit.cwl", line: 3 },
    { text: ": No such input.\n" },
    { text: "Snakefile, line 7", file: "Snakefile", line: 7 },
    { text: ": x" },
  ]);
});

test("a sentence without a place stays whole", () => {
  expect(placesIn("Step 1 failed.")).toEqual([{ text: "Step 1 failed." }]);
});
