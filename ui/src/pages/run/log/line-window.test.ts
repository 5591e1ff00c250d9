import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { heightOf, LINE_PX, mostLines, scrollTopOf, windowAt } from "./line-window.ts";

const LINES = fc.oneof(fc.nat(200), fc.integer({ min: 1_000_000, max: 50_000_000 }));
const HEIGHT = fc.integer({ min: 1, max: 3000 });

describe("the drawn lines", () => {
  test("cover the view wherever it is, and are few", () => {
    fc.assert(
      fc.property(LINES, HEIGHT, fc.double({ min: 0, max: 1, noNaN: true }), (lines, height, share) => {
        const scrollTop = share * Math.max(0, heightOf(lines) - height);
        const { first, end, shiftPx } = windowAt({ scrollTop, height }, lines);
        const topOf = (line: number) => line * LINE_PX + shiftPx;
        expect(first === 0 || topOf(first) <= scrollTop).toBe(true);
        expect(end === lines || topOf(end) >= scrollTop + height).toBe(true);
        expect(end - first).toBeLessThanOrEqual(mostLines(height));
      }),
    );
  });

  test("contain the line that was scrolled to, and the last one at the end", () => {
    fc.assert(
      fc.property(LINES, HEIGHT, fc.nat(), (lines, height, any) => {
        fc.pre(lines > 0);
        const line = any % lines;
        const most = Math.max(0, heightOf(lines) - height);
        const scrollTop = Math.min(most, scrollTopOf(line, height, lines));
        const there = windowAt({ scrollTop, height }, lines);
        expect(there.first <= line && line < there.end).toBe(true);
        const atEnd = windowAt({ scrollTop: most, height }, lines);
        expect(atEnd.end).toBe(lines);
      }),
    );
  });

  test("stand in the middle of the view when they are scrolled to", () => {
    expect(scrollTopOf(500, 517, 1000)).toBe(500 * LINE_PX - 250);
    expect(scrollTopOf(0, 517, 1000)).toBe(0);
  });

  test("do not change with a small scroll", () => {
    const [one, other] = [8000, 8020].map((scrollTop) => windowAt({ scrollTop, height: 500 }, 1_000_000));
    expect(one).toEqual(other);
  });
});
