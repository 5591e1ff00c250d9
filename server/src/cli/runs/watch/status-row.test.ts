import { expect, test } from "vitest";
import { systemClock } from "#plumbing/clock";
import { jobsOf, statusRow } from "#cli/runs/watch/status-row";

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

test("a short row has room for the jobs that finished alone, and the duration comes from the server", () => {
  const host = { clock: systemClock, environment: {}, isTerminal: false, timeZone: "UTC" };
  const progress = { ...counts(10, 6, 1), run_started_at: "2026-11-27T08:45:03", wall_ms: 1640 };
  const run = { name: "fit.1", status: "failed", created: "2026-11-27T08:45:02", progress };
  expect(statusRow(host, run, true)).toEqual(["fit.1", "failed", "6/10", "1.6 s", "11-27 08:45"]);
  expect(statusRow(host, run)[2]).toBe("6/10, 1 failed, 3 not finished");
});
