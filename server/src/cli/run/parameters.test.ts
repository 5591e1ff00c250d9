import { describe, expect, test } from "vitest";
import { UsageError } from "#cli/failure";
import { readParameters } from "#cli/run/parameters";

const DECLARED = { name: "Ada", version: "1.0", events: 100, quick: false, cuts: [1, 2], open: null };

describe("--param", () => {
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
    [["events=many"], "declares events as a number (100)"],
    [["events=true"], "declares events as a number"],
    [["quick=1"], "declares quick as true or false"],
    [["cuts={}"], "declares cuts as a list"],
    [["colour=red"], 'no parameter "colour" under inputs.parameters. It declares: cuts, events, name, open,'],
    [["toString=1"], 'no parameter "toString"'],
    [["name"], "--param name has no value"],
    [["=5"], "--param =5 has no value"],
    [["name=a", "name=b"], "--param name was given twice"],
  ])("%s is refused", (given, expected) => {
    expect(() => readParameters(given, DECLARED)).toThrow(UsageError);
    expect(() => readParameters(given, DECLARED)).toThrow(expected);
  });
});
