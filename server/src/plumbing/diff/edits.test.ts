import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Edit, editsBetween } from "#plumbing/diff/edits";

/** Returns `a` with the edits applied, which should be `b`. */
function applied(a: readonly number[], b: readonly number[], edits: readonly Edit[]): number[] {
  const made: number[] = [];
  let at = 0;
  for (const { aStart, aEnd, bStart, bEnd } of edits) {
    made.push(...a.slice(at, aStart), ...b.slice(bStart, bEnd));
    at = aEnd;
  }
  return [...made, ...a.slice(at)];
}

function cost(edits: readonly Edit[]): number {
  return edits.reduce((sum, { aStart, aEnd, bStart, bEnd }) => sum + aEnd - aStart + bEnd - bStart, 0);
}

/** Computes the least cost from the table of all prefixes: slow, but plain to see. */
function leastCost(a: readonly number[], b: readonly number[]): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (const [index, value] of a.entries()) {
    const next = [index + 1];
    for (const [other, wanted] of b.entries()) {
      next.push(value === wanted ? row[other]! : 1 + Math.min(row[other + 1]!, next[other]!));
    }
    row = next;
  }
  return row[b.length]!;
}

const sequence = fc.array(fc.integer({ min: 0, max: 5 }), { maxLength: 40 });

describe("edits", () => {
  test("turn one text into the other, and are as few as possible", () => {
    fc.assert(
      fc.property(sequence, sequence, (a, b) => {
        const edits = editsBetween(a, b);
        expect(applied(a, b, edits)).toEqual(b);
        expect(cost(edits)).toBe(leastCost(a, b));
      }),
    );
  });

  test("are empty for equal sequences", () => {
    expect(editsBetween([1, 2, 3], [1, 2, 3])).toEqual([]);
    expect(editsBetween([], [])).toEqual([]);
  });

  test("past the bound replace everything between the equal ends", () => {
    const numbers = Array.from({ length: 5000 }, (_, index) => index);
    const a = [-1, ...numbers, -2];
    const b = [-1, ...numbers.toReversed(), -2];
    expect(editsBetween(a, b)).toEqual([{ aStart: 1, aEnd: 5001, bStart: 1, bEnd: 5001 }]);
  });

  test("need no search if the sequences share nothing", () => {
    const a = Array.from({ length: 100_000 }, (_, index) => index);
    const b = a.map((value) => -1 - value);
    expect(editsBetween([...a, 7], [...b, 7])).toEqual([
      { aStart: 0, aEnd: 100_000, bStart: 0, bEnd: 100_000 },
    ]);
  });
});
