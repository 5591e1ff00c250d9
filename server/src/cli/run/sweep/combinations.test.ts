import { describe, expect, test } from "vitest";
import { combinationsOf, labelOf } from "#cli/run/sweep/combinations";

describe("--sweep", () => {
  test("makes each combination of the values once", () => {
    expect(combinationsOf(["x=1,2,1"], ["z=3"])).toEqual([["x=1"], ["x=2"]]);
    expect(combinationsOf(["x=1,2", "y=a=b,"], [])).toEqual([
      ["x=1", "y=a=b"],
      ["x=1", "y="],
      ["x=2", "y=a=b"],
      ["x=2", "y="],
    ]);
  });

  test("takes a value with commas in quotes, or in brackets", () => {
    const combinations = combinationsOf(['x="a,b",c,say ""hi"","a ""b"""', "y=[1,2],[3]"], []);
    expect(combinations.filter((_, index) => index % 2 === 0).map(([x]) => x)).toEqual([
      "x=a,b",
      "x=c",
      'x=say ""hi""',
      'x=a "b"',
    ]);
    expect(combinations.slice(0, 2).map(([, y]) => y)).toEqual(["y=[1,2]", "y=[3]"]);
    expect(() => combinationsOf(['x="a,b'], [])).toThrow("a quote or a bracket is open at the end");
  });

  test.each([
    [["x"], [], '"x" is no parameter with a value'],
    [["x=1,2", "x=3"], [], "x is given more than once"],
    [["x=1,2"], ["x=3"], "x is given more than once"],
    [[`x=${Array.from({ length: 201 }, (_, index) => index).join(",")}`], [], "asks for 201 runs"],
  ])("%s with %s is refused", (sweeps, params, expected) => {
    expect(() => combinationsOf(sweeps, params)).toThrow(Error);
    expect(() => combinationsOf(sweeps, params)).toThrow(expected);
  });

  test("makes a folder for each combination, and no other", () => {
    expect(labelOf(["x=1", "y=1e-3"])).toBe("x=1,y=1e-3");
    expect(labelOf(["x=../../etc", "y=a b/ü"])).toBe("x=.._.._etc,y=a_b__");
  });
});
