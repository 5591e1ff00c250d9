import { expect, test } from "vitest";
import { Adler32 } from "#sources/data/adler32";

test.each([
  ["", "00000001"],
  ["Wikipedia", "11e60398"],
  ["hello\n", "084b021f"],
])("the checksum of %j", (text, hex) => {
  const sum = new Adler32();
  sum.add(Buffer.from(text));
  expect(sum.hex).toBe(hex);
});

test("many large bytes in parts have the same checksum as in one", () => {
  const bytes = Buffer.alloc(1_000_000, 255);
  const [whole, parts] = [new Adler32(), new Adler32()];
  whole.add(bytes);
  for (let start = 0; start < bytes.length; start += 7777) parts.add(bytes.subarray(start, start + 7777));
  expect(parts.hex).toBe(whole.hex);
});
