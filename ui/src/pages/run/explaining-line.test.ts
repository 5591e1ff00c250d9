import { expect, test } from "vitest";
import { explainingLine } from "./explaining-line.ts";

/** Output of failing programs. The expected line is marked with `>`. */
test.each([
  ["a Python exception", "Traceback (most recent call last):", '  File "fit.py", line 3', "> KeyError: 17"],
  ["an exception without words", "Traceback (most recent call last):", "  assert ok", "> AssertionError"],
  [
    "a failing test",
    "> FAILED test_fit.py::test_mean - assert 1 == 2",
    "===== 1 failed, 3 passed in 0.1s =====",
  ],
  ["a missing program", "reading", "> sh: 1: fitt: not found"],
  ["make", "> cc: error: fit.c: No such file or directory", "make: *** [Makefile:2: fit] Error 1"],
  ["C++", "terminate called after throwing an instance of 'std::bad_alloc'", "> what():  std::bad_alloc"],
  ["ROOT", "> Error in <TFile::TFile>: file in.root does not exist", "Processing fit.C..."],
  ["R", "> Error in fit(x) : object 'y' not found", "Calls: main", "Execution halted"],
  ["a full disk", "> cp: error writing 'out': No space left on device", "done with 0 errors"],
  ["nothing that looks wrong", "12 events", "> and now what", ""],
])("%s", (_, ...lines) => {
  const wanted = lines.findIndex((line) => line.startsWith("> "));
  const texts = lines.map((line) => line.replace(/^> /, ""));
  expect(explainingLine(texts.length, (index) => texts[index]!)).toBe(wanted);
});

test("no line explains a failure without output", () => {
  expect(explainingLine(2, () => " ")).toBeUndefined();
});
