import { describe, expect, test } from "vitest";
import { ParameterProblem, readParameters } from "#workflow/run/given-parameters";

const DECLARED = { name: "Ada", version: "1.0", events: 100, quick: false, cuts: [1, 2], open: null };

describe("parameters that are given as name=value", () => {
  test.each([
    ["name=a=b", { name: "a=b" }],
    ["name=", { name: "" }],
    ["version=1.10", { version: "1.10" }],
    ["events=2e3", { events: 2000 }],
    ["quick=true", { quick: true }],
    ["cuts=[3]", { cuts: [3] }],
    ["open=5", { open: "5" }],
  ])("%s", (given, expected) => {
    expect(readParameters([given], DECLARED)).toEqual(expected);
  });

  test.each([
    [["events=many"], 'events must be a number (the specification has 100), not "many".'],
    [["events=true"], 'events must be a number (the specification has 100), not "true".'],
    [["quick=1"], "quick must be true or false (the specification has false)"],
    [["cuts={}"], "cuts must be a list (the specification has [1,2])"],
    [["colour=red"], 'no parameter "colour" under inputs.parameters. It declares: cuts, events, name, open,'],
    [["toString=1"], 'no parameter "toString"'],
    [["name"], '"name" is no parameter with a value. Write it as name=value.'],
    [["=5"], '"=5" is no parameter with a value.'],
    [["name=a", "name=b"], "name was given twice. Give it once, or use --sweep"],
  ])("%s is refused", (given, expected) => {
    expect(() => readParameters(given, DECLARED)).toThrow(ParameterProblem);
    expect(() => readParameters(given, DECLARED)).toThrow(expected);
  });
});
