import { describe, expect, test } from "vitest";
import { FormatError, pythonFormat } from "#plumbing/text/python-format";

const named = { a: 1, b: "text", list: [1, "x"], map: { key: [true, null] }, n: 1234567, f: 0.25, neg: -3 };

describe("a template is filled as Python fills it", () => {
  test.each([
    ["{a} {b}", "1 text"],
    ["{{a}} ${{HOME}}", "{a} ${HOME}"],
    ["{list[1]} {map[key][0]} {map}", "x True {'key': [True, None]}"],
    ["{b!r} {b!s:>6}|{b:*^8}|{b:.2}", "'text'   text|**text**|te"],
    ["{a:03d} {a:+} {neg:06} {n:,}", "001 +1 -00003 1,234,567"],
    ["{f:.1f} {f:.3e} {f:g} {f:%}", "0.2 2.500e-01 0.25 25.000000%"],
    ["{a:x} {n:X} {a:{a}}", "1 12D687 1"],
    ["", ""],
  ])("%s", (template, filled) => expect(pythonFormat(template, { named })).toBe(filled));

  test("positions are counted, or given", () => {
    expect(pythonFormat("{} {} {x}", { positional: [1, "b"], named: { x: 2 } })).toBe("1 b 2");
    expect(pythonFormat("{1}{0}", { positional: ["a", "b"] })).toBe("ba");
  });
});

describe("input refused by Python is refused", () => {
  test.each([
    ["{c}", "key", "{c}"],
    ["x } y", "value", "}"],
    ["awk '{print $1}'", "key", "{print $1}"],
    ["{a", "value", "{a"],
    ["{}", "index", "{}"],
    ["{b.upper}", "attribute", "{b.upper}"],
    ["{map[nope]}", "key", "{map[nope]}"],
    ["{b:d}", "value", "{b:d}"],
    ["{a:9999999}", "value", "{a:9999999}"],
    ["{{a}", "value", "}"],
  ])("%s", (template, kind, placeholder) => {
    const error = errorOf(() => pythonFormat(template, { named }));
    expect(error).toBeInstanceOf(FormatError);
    expect(error).toMatchObject({ kind, placeholder });
  });
});

function errorOf(call: () => unknown): unknown {
  try {
    return call();
  } catch (error) {
    return error;
  }
}
