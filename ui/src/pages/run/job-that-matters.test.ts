import { expect, test } from "vitest";
import { jobThatMatters } from "./job-that-matters.ts";

test.each([
  ["the failed one", ["finished", "failed", "stopped", "running"], true, 1],
  ["the last one that is running", ["running", "running", "created"], true, 1],
  ["the last one of a whole list", ["finished", "finished"], true, 1],
  ["the first one of a list that has further pages", ["finished", "finished"], false, 0],
] as const)("the job whose output is shown first is %s", (_name, statuses, isWhole, index) => {
  const jobs = statuses.map((status) => ({ status }));
  expect(jobThatMatters(jobs, isWhole)).toBe(jobs[index]);
});
