import { describe, expect, test } from "vitest";
import { freshProgress } from "#runner/turn/progress";
import { isSnapshotDue, progressFrom, snapshotOf, withSnapshot } from "#runner/loop/snapshots";

const FRESH = freshProgress("run", 0);

describe("a snapshot is due", () => {
  test("after so many events, while snapshots are small", () => {
    expect(isSnapshotDue({ ...FRESH, nextSeq: 999 })).toBe(false);
    expect(isSnapshotDue({ ...FRESH, nextSeq: 1000 })).toBe(true);
    expect(isSnapshotDue({ ...FRESH, nextSeq: 5 }, 5)).toBe(true);
  });

  /** A state of 150 bytes a job, as an engine with 100,000 jobs keeps it. */
  test("so seldom that all snapshots of a run cost no more than the events", () => {
    let progress = FRESH;
    const written: number[] = [];
    for (let nextSeq = 100; nextSeq <= 100_000; nextSeq += 100) {
      progress = { ...progress, nextSeq };
      if (!isSnapshotDue(progress)) continue;
      const snapshot = { ...snapshotOf(progress, 1, ""), state: "x".repeat(150 * nextSeq) };
      progress = withSnapshot(progress, snapshot);
      written.push(progress.snapshot.chars);
    }
    const events = 100_000 * 1000;
    expect(written.reduce((sum, chars) => sum + chars, 0)).toBeLessThan(1.1 * events);
    expect(written.length).toBeLessThan(50);
    // The last replay stays within this limit.
    expect(100_000 - progress.snapshot.nextSeq).toBeLessThan(15_000);
  });
});

test("a run resumed from a snapshot is unchanged", () => {
  const job = {
    key: "a",
    name: "a",
    command: { script: "a" },
    node: "n",
    displayCommand: "a",
    image: null,
    environment: {},
  };
  const ask = { do: "read", id: "r", path: "a", maxBytes: 1 } as const;
  const progress = {
    ...FRESH,
    isBegun: true,
    nextSeq: 7,
    jobCount: 3,
    jobs: new Map([["a", { id: "be5c1a9b-d6c2-8f6b-8b65-4ad1b9a6e5a1", job }]]),
    asks: new Map([["r", ask]]),
  };
  const snapshot = snapshotOf(progress, 1, "{}");
  const again = progressFrom("run", snapshot);
  expect(again.jobs.get("a")?.job).toEqual(job);
  expect({ ...again, jobs: progress.jobs }).toEqual(withSnapshot(progress, snapshot));
});
