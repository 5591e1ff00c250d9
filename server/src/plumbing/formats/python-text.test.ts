import { execFileSync } from "node:child_process";
import fc from "fast-check";
import { beforeEach, expect, test } from "vitest";
import { needsPython } from "#plumbing/formats/python-suite";
import { pythonJson, pythonStr } from "#plumbing/formats/python-text";

beforeEach(needsPython);

const PRINT = "import json,sys\nprint(json.dumps([[str(v), json.dumps(v)] for v in json.load(sys.stdin)]))";

/** Numbers with equal meanings in Python and JavaScript: whole numbers are integers in both languages. */
const number = fc.oneof(
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }).filter((value) => !Number.isInteger(value)),
);
const text = fc.string({
  unit: fc.constantFrom("a", "Z", "'", '"', "\\", "\n", "\t", "\u0001", "é", "€", "😀", " "),
});
const value = fc.letrec((tie) => ({
  any: fc.oneof(
    { depthSize: "small" },
    fc.constant(null),
    fc.boolean(),
    number,
    text,
    fc.array(tie("any"), { maxLength: 4 }),
    fc.dictionary(text, tie("any"), { maxKeys: 4, noNullPrototype: true }),
  ),
})).any;

test("values print as Python prints them, by str() and by json.dumps()", () => {
  const values = fc.sample(value, { numRuns: 2000, seed: 7 });
  const printed = execFileSync("python3", ["-c", PRINT], { input: JSON.stringify(values), encoding: "utf8" });
  // JSON has no -0: Python reads the output of JavaScript.
  const reread = JSON.parse(JSON.stringify(values)) as unknown[];
  expect(reread.map((one) => [pythonStr(one), pythonJson(one)])).toEqual(JSON.parse(printed));
});
