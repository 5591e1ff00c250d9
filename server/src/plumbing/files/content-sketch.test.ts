import { describe, expect, test } from "vitest";
import { ContentSketch, likenessOf, SKETCH_MAX } from "#plumbing/files/content-sketch";

const LINES = Array.from({ length: 4000 }, (_, index) => `${index},${Math.sin(index).toFixed(9)}`);

function sketchOf(text: string, pieceBytes = 1 << 20): string[] {
  const sketch = new ContentSketch();
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += pieceBytes) sketch.update(bytes.subarray(at, at + pieceBytes));
  return sketch.digests();
}

const table = (lines: readonly string[]) => sketchOf(lines.map((line) => `${line}\n`).join(""));

describe("the sketch of a content", () => {
  test("has few digests, and does not depend on the pieces in which the content arrives", () => {
    const whole = table(LINES);
    expect(whole).toHaveLength(SKETCH_MAX);
    expect(new Set(whole).size).toBe(SKETCH_MAX);
    for (const digest of whole) expect(digest).toMatch(/^[0-9a-f]{14}$/);
    expect(sketchOf(LINES.map((line) => `${line}\n`).join(""), 777)).toEqual(whole);
    expect(sketchOf("")).toEqual([]);
    expect(sketchOf("short")).toHaveLength(1);
  });

  test("is nearly the same after a few lines changed, were inserted at the start, or were removed", () => {
    const changed = LINES.with(70, "x").with(2000, "y").with(3999, "z");
    const inserted = ["# a header", ...LINES];
    const removed = LINES.slice(100);
    for (const other of [changed, inserted, removed])
      expect(likenessOf(table(LINES), table(other))).toBeGreaterThan(0.7);
  });

  test("has nothing in common with the sketch of another content", () => {
    expect(likenessOf(table(LINES), table(LINES.map((line) => `${line.slice(2)};${line}`)))).toBe(0);
    expect(likenessOf([], [])).toBe(0);
  });

  test("ends at 64 MiB", () => {
    const sketch = new ContentSketch();
    const block = Buffer.alloc(1 << 20, "0123456789abcdef");
    for (let count = 0; count < 64; count += 1) sketch.update(block);
    sketch.update(Buffer.from("behind the end"));
    const before = new ContentSketch();
    for (let count = 0; count < 64; count += 1) before.update(block);
    expect(sketch.digests()).toEqual(before.digests());
  });
});
