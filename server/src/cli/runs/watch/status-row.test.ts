import { expect, test } from "vitest";
import { jobsOf } from "#cli/runs/watch/status-row";

function counts(total: number, finished: number, failed: number) {
  return { total: { total }, finished: { total: finished }, failed: { total: failed } };
}

test.each([
  ["running", counts(10, 6, 1), "6/10, 1 failed"],
  ["failed", counts(10, 6, 1), "6/10, 1 failed, 3 not finished"],
  ["stopped", counts(10, 6, 0), "6/10, 4 not finished"],
  ["finished", counts(10, 10, 0), "10/10"],
  ["created", {}, "-"],
])("the jobs of a %s run: %j are %s", (status, progress, shown) => {
  expect(jobsOf({ status, progress })).toBe(shown);
});
