import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { expand } from "#engines/serial/template";

const PARAMETERS = { a: 1, ab: "z", lst: [1, 2], b: true, n: null, s: "it's", names: ["x", "y'z"], f: 0.1 };

describe("expanding a command as Python's string.Template does", () => {
  test.each([
    ["echo ${a} $a $$a $${a} ${ab}x", "echo 1 1 $a ${a} zx"],
    ["awk '{print $$1}'", "awk '{print $1}'"],
    ["${lst} ${b} ${n}", "[1, 2] True None"],
    ["${s} ${names} ${f}", "it's ['x', \"y'z\"] 0.1"],
    ["$ab.$a", "z.1"],
    ["nothing to do", "nothing to do"],
    ["", ""],
  ])("%s", (template, text) => {
    expect(expand(template, PARAMETERS)).toMatchObject({ ok: true, text });
  });

  test.each([
    ["echo $HOME", "HOME"],
    ["echo ${A}", "A"],
    ["for f in *; do echo $f2; done", "f2"],
    ["${constructor}", "constructor"],
    ["$__proto__", "__proto__"],
  ])("%s names the unknown placeholder", (template, name) => {
    expect(expand(template, PARAMETERS)).toEqual({ ok: false, problem: "unknown", name });
  });

  test.each([
    ["echo $(date)", 1, 6],
    ["$1", 1, 1],
    ["x\n  ${a:-x}", 2, 3],
    ["100$", 1, 4],
    ["${ä}", 1, 1],
  ])("%s is invalid at its place", (template, line, column) => {
    expect(expand(template, PARAMETERS)).toEqual({ ok: false, problem: "invalid", line, column });
  });

  test("a text with every dollar doubled comes back as it was", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        expect(expand(text.replaceAll("$", "$$$$"), {})).toMatchObject({ ok: true, text });
      }),
    );
  });
});
