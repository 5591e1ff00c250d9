import { expect, test } from "vitest";
import type { Clock } from "#plumbing/clock";
import { createChangeDetector } from "#runner/files/change-detector";
import type { JobEnd } from "#workflow/job/job";

const NOW_MS = 1_000_000;

const endAfter = (ms: number): JobEnd => ({ reason: "exited", exitCode: 0, startedAtMs: 0, endedAtMs: ms });

/** A workspace with each of these contents in turn. Undefined stands for too many files. */
function tracerOver(looks: readonly (Record<string, string> | undefined)[], newestMs = 0) {
  const waits: number[] = [];
  const left = [...looks];
  const clock = {
    now: () => NOW_MS,
    after: (ms: number, callback: () => void) => {
      waits.push(ms);
      callback();
      return () => undefined;
    },
  } as unknown as Clock;
  const workspace = {
    maybeStamps: async () => {
      const stamps = left.shift();
      return stamps && { stamps, newestMs };
    },
  };
  return { detector: createChangeDetector({ workspace, clock }), waits, left };
}

test("the first look returns all files, and later ones those that are new, changed, gone or in doubt", async () => {
  const { detector } = tracerOver([
    { a: "1", b: "1", c: "?" },
    { a: "1", b: "2", c: "?", d: "1" },
    { b: "2", d: "1" },
  ]);
  expect(await detector.maybeChanges("job1", endAfter(1))).toEqual({
    isWhole: true,
    files: { a: "1", b: "1", c: "?" },
  });
  expect(await detector.maybeChanges("job2", endAfter(1))).toEqual({
    isWhole: false,
    files: { b: "2", c: "?", d: "1" },
  });
  expect(await detector.maybeChanges("job3", endAfter(1))).toEqual({
    isWhole: false,
    files: { a: null, c: null },
  });
});

test("a second look after the same job, whose first result was dropped by a stop, returns its changes again", async () => {
  const { detector } = tracerOver([{ a: "1" }, { a: "2" }, { a: "2", b: "1" }, { a: "2", b: "2" }]);
  await detector.maybeChanges("first", endAfter(1));
  expect(await detector.maybeChanges("second", endAfter(1))).toEqual({ isWhole: false, files: { a: "2" } });
  const both = { isWhole: false, files: { a: "2", b: "1" } };
  expect(await detector.maybeChanges("second", endAfter(1))).toEqual(both);
  expect(await detector.maybeChanges("third", endAfter(1))).toEqual({ isWhole: false, files: { b: "2" } });
});

test("a workspace with too many files is not looked at again", async () => {
  const { detector, left } = tracerOver([undefined, {}]);
  expect(await detector.maybeChanges("job4", endAfter(1))).toBeUndefined();
  expect(await detector.maybeChanges("job5", endAfter(1))).toBeUndefined();
  expect(left).toEqual([{}]);
});

test("a workspace with many files is looked at only after jobs that took longer than the look", async () => {
  const many = Object.fromEntries(Array.from({ length: 2000 }, (_, index) => [`f${index}`, "1"]));
  const { detector, left } = tracerOver([many, { ...many, f0: "2" }]);
  await detector.maybeChanges("job6", endAfter(1));
  expect(await detector.maybeChanges("job7", endAfter(200))).toBeUndefined();
  expect(left.length).toBe(1);
  expect(await detector.maybeChanges("job8", endAfter(201))).toEqual({ isWhole: false, files: { f0: "2" } });
});

test.each([
  [NOW_MS, [12]],
  [NOW_MS - 12, [12]],
  [NOW_MS - 13, []],
  // A file server with a clock ahead of the local clock.
  [NOW_MS + 1000, [12]],
])(
  "a file that has just changed, at %i, is looked at only when another change would show",
  async (at, waited) => {
    const { detector, waits } = tracerOver([{ a: "1" }], at);
    await detector.maybeChanges("job9", endAfter(1));
    expect(waits).toEqual(waited);
  },
);
