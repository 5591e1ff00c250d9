import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createMask } from "#plumbing/secrets/mask";

const masked = (text: string, secrets: readonly string[], isEnd = false) =>
  createMask(secrets.map((secret) => Buffer.from(secret)))
    .apply(Buffer.from(text), isEnd)
    .toString();

/** Returns the parts of a secret that are masked: the whole secret, or each run of 32 bytes. */
function piecesOf(secret: string): string[] {
  if (secret.length <= 32) return [secret];
  return Array.from({ length: secret.length - 31 }, (_, at) => secret.slice(at, at + 32));
}

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

  test("its beginning too, where the text may continue", () => {
    expect(masked("key=hunt", ["hunter22"])).toBe("key=hunt");
    expect(masked("key=hunt", ["hunter22"], true)).toBe("key=****");
    expect(masked("key=hun", ["hunter22"], true)).toBe("key=hun");
    expect(masked("hunter2", ["hunter22"], true)).toBe("*******");
  });

  const long = "abcdefghijklmnopqrstuvwxyz-0123456789-ABCDEFGHIJKLMNOPQRSTUVWXYZ";

  test("parts of a long secret are masked too", () => {
    expect(masked(`key: ${long}\n`, [long])).toBe(`key: ${"*".repeat(long.length)}\n`);
    expect(masked(`key: ${long.slice(5, 40)}\n`, [long])).toBe(`key: ${"*".repeat(35)}\n`);
    expect(masked(`key: ${long.slice(5, 30)}\n`, [long])).toBe(`key: ${long.slice(5, 30)}\n`);
    expect(masked(`key: ${long.slice(0, 20)}`, [long], true)).toBe(`key: ${"*".repeat(20)}`);
    expect(masked(`key: ${long.slice(0, 50)}`, [long], true)).toBe(`key: ${"*".repeat(50)}`);
  });

  test("every secret becomes stars, and nothing else does", () => {
    const text = (maxLength: number) => fc.string({ maxLength, unit: fc.constantFrom("a", "b") });
    const secret = fc.string({ minLength: 4, maxLength: 80, unit: fc.constantFrom("a", "b") });
    fc.assert(
      fc.property(
        fc.array(secret, { maxLength: 5 }),
        fc.array(text(60), { maxLength: 3 }),
        (secrets, others) => {
          const whole = others.join("c") + secrets.join("c") + others.join("");
          const isHidden = Array.from(whole, () => false);
          for (const piece of secrets.flatMap(piecesOf)) {
            for (let at = whole.indexOf(piece); at !== -1; at = whole.indexOf(piece, at + 1)) {
              isHidden.fill(true, at, at + piece.length);
            }
          }
          expect(masked(whole, secrets)).toBe(
            Array.from(whole, (sign, at) => (isHidden[at] ? "*" : sign)).join(""),
          );
        },
      ),
    );
  });

  test("any part of a text is masked as in the whole, if its surroundings are known", () => {
    const mask = createMask([Buffer.from(long), Buffer.from("hunter22")]);
    const whole = Buffer.from(`hunter22 ${long}hunter22\n${long.slice(0, 40)} hunter2`);
    const clean = mask.apply(whole, false);
    for (let at = 0; at < whole.length; at += 1) {
      const [from, to] = [Math.max(0, at - mask.reach), Math.min(whole.length, at + 1 + mask.reach)];
      expect([at, mask.apply(whole.subarray(from, to), false)[at - from]]).toEqual([at, clean[at]]);
    }
  });

  test.each([
    ["repeats itself", "a".repeat(500_000)],
    ["repeats itself but for its beginning", `b${"a".repeat(500_000)}`],
    ["repeats itself but for its middle", `${"a".repeat(250_000)}b${"a".repeat(250_000)}`],
    ["is many", Array.from({ length: 40_000 }, (_, index) => `aaaaa${index}`).join("\n")],
  ])("in bounded time for any secret: one that %s", (_, text) => {
    const secrets = text.split("\n").map((one) => Buffer.from(one));
    const mask = createMask(secrets);
    const printed = Buffer.from(`${"a".repeat(2_000_000)}${text}`);
    const clean = mask.apply(printed, true).toString();
    expect(clean.length).toBe(printed.length);
    for (const secret of [secrets[0]!, secrets.at(-1)!]) expect(clean).not.toContain(secret.toString());
  });

  test("in any surroundings, at equal length, without changing the input", () => {
    const secret = fc.string({ minLength: 4, unit: fc.constantFrom("a", "b", "c") });
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom("a", "b", "c", "\n") }), secret, (text, hidden) => {
        const bytes = Buffer.from(`${text}${hidden}${text}`);
        const before = Buffer.from(bytes);
        const result = createMask([Buffer.from(hidden)]).apply(bytes, true);
        expect(bytes.equals(before)).toBe(true);
        expect(result.length).toBe(bytes.length);
        expect(result.includes(hidden)).toBe(false);
      }),
    );
  });
});
