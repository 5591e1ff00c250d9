import fc from "fast-check";
import { expect, test } from "vitest";
import { emptyList, itemAt, itemsOf, withItem, withoutItem } from "#engines/wide-list";

const changes = fc.array(fc.record({ index: fc.nat(40_000), item: fc.string({ minLength: 1 }) }), {
  maxLength: 60,
});

test("a wide list holds what was set last at each position, in any order", () => {
  fc.assert(
    fc.property(changes, (sequence) => {
      const expected = new Map<number, string>();
      let list = emptyList<string>();
      for (const { index, item } of sequence) {
        list = withItem(list, index, item);
        expected.set(index, item);
      }
      for (const [index, item] of expected) expect(itemAt(list, index)).toBe(item);
      const length = Math.max(0, ...[...expected.keys()].map((index) => index + 1));
      expect(list.length).toBe(length);
      expect(itemsOf(list).filter((item) => item !== null)).toHaveLength(expected.size);
    }),
  );
});

test("a wide list without an item holds the others, and no block that is empty", () => {
  const removals = fc.array(fc.nat(40_000), { maxLength: 20 });
  fc.assert(
    fc.property(changes, removals, (sequence, others) => {
      const full = sequence.reduce((list, one) => withItem(list, one.index, one.item), emptyList<string>());
      const expected = new Map(sequence.map(({ index, item }) => [index, item]));
      const removed = [...others, ...[...expected.keys()].filter((_, at) => at % 2 === 0)];
      for (const index of removed) expected.delete(index);
      const left = removed.reduce(withoutItem, full);
      for (const { index } of sequence) expect(itemAt(left, index)).toBe(expected.get(index) ?? null);
      expect(JSON.stringify(left)).not.toMatch(/\[(null,?)+\]/);
      const none = [...expected.keys()].reduce(withoutItem, left);
      expect(none).toEqual({ ...emptyList(), length: full.length, depth: full.depth });
      expect(itemAt(withItem(none, 7, "x"), 7)).toBe("x");
    }),
  );
});

test("a wide list is plain JSON, and a change leaves the list before it as it was", () => {
  fc.assert(
    fc.property(changes, fc.nat(40_000), (sequence, index) => {
      const before = sequence.reduce((list, one) => withItem(list, one.index, one.item), emptyList<string>());
      const copy = JSON.stringify(before);
      expect(JSON.parse(copy)).toEqual(before);
      withItem(before, index, "x");
      expect(JSON.stringify(before)).toBe(copy);
    }),
  );
});

test("one of a hundred thousand items costs a few blocks", () => {
  let list = emptyList<number>();
  for (let index = 0; index < 100_000; index += 1) list = withItem(list, index, index);
  const next = withItem(list, 77_777, -1);
  expect(next.root.filter((block, at) => block !== list.root[at])).toHaveLength(1);
  expect([itemAt(next, 77_777), itemAt(next, 77_778), itemAt(next, 1_000_000)]).toEqual([-1, 77_778, null]);
});
