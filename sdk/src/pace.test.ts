import { expect, test } from "vitest";
import { estimate } from "./pace.ts";

const counts = { total: 1000, finished: 390, failed: 10 };

test.each([
  [{ jobs: 100, over_ms: 60_000 }, 0, "100", 360_000],
  [{ jobs: 100, over_ms: 5000 }, 0, "1,200", 30_000],
  [{ jobs: 6, over_ms: 600_000 }, 0, "0.6", 60_000_000],
  // The pace falls while no job ends.
  [{ jobs: 100, over_ms: 60_000 }, 60_000, "50", 720_000],
])("the pace %j, measured %i ms ago, is %s a minute", (pace, ageMs, jobsPerMinute, leftMs) => {
  expect(estimate({ ...counts, pace, ageMs })).toEqual({ jobsPerMinute, remaining: 600, leftMs });
});

test("more ends than planned jobs leave none", () => {
  const pace = { jobs: 10, over_ms: 1000 };
  expect(estimate({ total: 20, finished: 19, failed: 3, pace })).toMatchObject({ remaining: 0, leftMs: 0 });
});
