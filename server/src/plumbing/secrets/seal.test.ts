import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { systemRandom } from "#plumbing/ids";
import { createSeal } from "#plumbing/secrets/seal";

const key = Buffer.alloc(32, 7);
const seal = createSeal(key, systemRandom);

/** fast-check's own table of all characters takes a second to build. */
const CHARACTER = fc.integer({ min: 1, max: 0x10ffff }).map((code) => String.fromCodePoint(code));
const TEXT = fc.string({ minLength: 8, unit: CHARACTER.filter((text) => text.isWellFormed()) });

describe("the seal", () => {
  test("returns the sealed text, and reveals no part of the text", () => {
    fc.assert(
      fc.property(TEXT, (text) => {
        const sealed = seal.seal(text);
        expect(seal.open(sealed)).toBe(text);
        expect(sealed).not.toContain(text);
      }),
    );
  });

  test("never seals twice alike", () => {
    expect(seal.seal("a.b.c")).not.toBe(seal.seal("a.b.c"));
  });

  test("refuses another key, a changed text and a cut one, with a sentence", () => {
    const sealed = seal.seal("a.b.c");
    const sentence = "A stored token cannot be read with this server's key";
    expect(() => createSeal(Buffer.alloc(32, 8), systemRandom).open(sealed)).toThrow(sentence);
    const last = sealed.at(-2) === "A" ? "B" : "A";
    expect(() => seal.open(`${sealed.slice(0, -2)}${last}${sealed.at(-1)}`)).toThrow(sentence);
    expect(() => seal.open(sealed.slice(0, 20))).toThrow(sentence);
    expect(() => seal.open("")).toThrow(sentence);
  });

  test("opens text of another key if the key is given, and seals with the own key", () => {
    const next = createSeal(Buffer.alloc(32, 8), systemRandom, [key]);
    expect(next.open(seal.seal("a.b.c"))).toBe("a.b.c");
    expect(createSeal(Buffer.alloc(32, 8), systemRandom).open(next.seal("a.b.c"))).toBe("a.b.c");
    expect(() => next.open(createSeal(Buffer.alloc(32, 9), systemRandom).seal("a.b.c"))).toThrow(
      "cannot be read",
    );
  });

  test("takes only a key of 32 bytes", () => {
    expect(() => createSeal(Buffer.alloc(16), systemRandom)).toThrow("16 bytes instead of 32");
  });
});
