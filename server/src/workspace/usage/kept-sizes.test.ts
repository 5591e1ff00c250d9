import { expect, test } from "vitest";
import { systemClock } from "#plumbing/clock";
import { KeptSizes } from "#workspace/usage/kept-sizes";

function counter(options: { readonly areShared?: boolean } = {}) {
  let nowMs = 0;
  const sizes = new KeptSizes({ ...systemClock, now: () => nowMs }, options);
  let counts = 0;
  const count = async () => ({ bytes: (counts += 1), entries: 1 });
  const pass = (ms: number) => void (nowMs += ms);
  return {
    sizes,
    count,
    pass,
    of: async (state?: string) => (await sizes.maybeOf({ id: "w", state }, 9, count))?.bytes,
  };
}

test("a size is counted once, and again when the state is another or unknown", async () => {
  const { of } = counter();
  expect([await of("a"), await of("a")]).toEqual([1, 1]);
  expect([await of("b"), await of("b")]).toEqual([2, 2]);
  expect([await of(), await of(), await of("b")]).toEqual([3, 4, 2]);
});

test("a size is counted again after five minutes", async () => {
  const { of, pass } = counter();
  await of("a");
  pass(299_999);
  expect(await of("a")).toBe(1);
  pass(1);
  expect(await of("a")).toBe(2);
});

test("a change causes another count, also after a failure", async () => {
  const { sizes, of } = counter();
  await of("a");
  await sizes.changing("w", async () => undefined);
  expect(await of("a")).toBe(2);
  const failing = sizes.changing("w", () => Promise.reject(new Error("no")));
  await expect(failing).rejects.toThrow("no");
  expect(await of("a")).toBe(3);
  await sizes.changing("other", async () => undefined);
  expect(await of("a")).toBe(3);
});

test("a count that overlaps with a change is not kept, whichever begins first", async () => {
  const { sizes, of } = counter();
  await sizes.changing("w", async () => void (await of("a")));
  expect(await of("a")).toBe(2);
  const counted = Promise.withResolvers<{ bytes: number; entries: number }>();
  await sizes.changing("w", async () => undefined);
  const overlapping = sizes.maybeOf({ id: "w", state: "a" }, 9, () => counted.promise);
  await sizes.changing("w", async () => undefined);
  counted.resolve({ bytes: 99, entries: 1 });
  expect((await overlapping)?.bytes).toBe(99);
  expect(await of("a")).toBe(3);
});

test("a count that fails is tried again", async () => {
  const { sizes, of } = counter();
  const failing = sizes.maybeOf({ id: "w", state: "a" }, 9, () => Promise.reject(new Error("no")));
  await expect(failing).rejects.toThrow("no");
  expect(await of("a")).toBe(1);
});

test("a kept size has more entries than are wanted", async () => {
  const { sizes, of, count } = counter();
  await of("a");
  expect(await sizes.maybeOf({ id: "w", state: "a" }, 0, count)).toBeUndefined();
});

test("a size is counted again after ten seconds if other servers store files as well", async () => {
  const { of, pass } = counter({ areShared: true });
  await of("a");
  pass(9_999);
  expect(await of("a")).toBe(1);
  pass(1);
  expect(await of("a")).toBe(2);
});
