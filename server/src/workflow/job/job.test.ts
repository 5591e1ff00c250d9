import { expect, test } from "vitest";
import { type Job, type JobEnd, withVerdict, succeeded } from "#workflow/job/job";

const JOB: Job = {
  key: "k",
  name: "",
  node: "0",
  command: { script: "" },
  displayCommand: "",
  image: null,
  environment: {},
};
const end = (change: Partial<JobEnd>): JobEnd => ({
  reason: "exited",
  exitCode: 0,
  startedAtMs: 1,
  endedAtMs: 2,
  ...change,
});

test.each<[successCodes: readonly number[] | undefined, end: Partial<JobEnd>, isSuccess: boolean]>([
  [undefined, { exitCode: 0 }, true],
  [undefined, { exitCode: 1 }, false],
  [[0, 3], { exitCode: 3 }, true],
  [[0, 3], { exitCode: 0 }, true],
  [[3], { exitCode: 0 }, false],
  [[], { exitCode: 0 }, false],
  [[143], { exitCode: 143 }, true],
  [[143], { exitCode: 143, reason: "time-limit" }, false],
  [[0], { exitCode: null, reason: "lost" }, false],
])("success codes %j judge %j as success: %s", (successCodes, change, isSuccess) => {
  const job = successCodes ? { ...JOB, successCodes } : JOB;
  const once = withVerdict(job, end(change));
  expect(succeeded(once)).toBe(isSuccess);
  expect(withVerdict(job, once)).toEqual(once);
});

test("the end of a job without success codes is recorded as it came", () => {
  const told = end({ exitCode: 4 });
  expect(withVerdict(JOB, told)).toBe(told);
});
