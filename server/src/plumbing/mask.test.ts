import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { mask } from "#plumbing/mask";

const masked = (text: string, secrets: readonly string[], isEnd = false) =>
  mask(
    Buffer.from(text),
    secrets.map((secret) => Buffer.from(secret)),
    isEnd,
  ).toString();

describe("secrets in a text become stars", () => {
  test.each([
    ["nothing to hide", [], "nothing to hide"],
    ["key=hunter22!", ["hunter22"], "key=********!"],
    ["hunter22 hunter22", ["hunter22"], "******** ********"],
    ["aaaaaa", ["aaaa"], "******"],
    ["abcdefgh", ["abcdef", "defgh"], "********"],
  ])("%j without %j", (text, secrets, expected) => {
    expect(masked(text, secrets)).toBe(expected);
  });

  test("its beginning too, where the text may go on", () => {
    expect(masked("key=hunt", ["hunter22"])).toBe("key=hunt");
    expect(masked("key=hunt", ["hunter22"], true)).toBe("key=****");
    expect(masked("key=hun", ["hunter22"], true)).toBe("key=hun");
    expect(masked("hunter2", ["hunter22"], true)).toBe("*******");
  });

  test("whatever stands around them, at equal length, and what was given stays as it is", () => {
    const secret = fc.string({ minLength: 4, unit: fc.constantFrom("a", "b", "c") });
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom("a", "b", "c", "\n") }), secret, (text, hidden) => {
        const bytes = Buffer.from(`${text}${hidden}${text}`);
        const before = Buffer.from(bytes);
        const result = mask(bytes, [Buffer.from(hidden)], true);
        expect(bytes.equals(before)).toBe(true);
        expect(result.length).toBe(bytes.length);
        expect(result.includes(hidden)).toBe(false);
      }),
    );
  });
});
