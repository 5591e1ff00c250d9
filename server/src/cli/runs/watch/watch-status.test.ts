import { expect, test } from "vitest";
import { statusLine } from "#cli/runs/watch/watch-status";

function group(total: number) {
  return { total, job_ids: [] };
}

const progress = {
  total: group(10),
  finished: group(6),
  failed: group(0),
  current_label: "fit · task 7 (s07.txt)",
};

test.each([
  [{ status: "running" }, "fit.1 is running, jobs 6/10: fit · task 7 (s07.txt)"],
  [
    { status: "running", waiting_for: "A job needs cores." },
    "fit.1 is running, jobs 6/10; waiting: A job needs cores.",
  ],
  [{ status: "queued" }, "fit.1 is queued, jobs 6/10"],
  [{ status: "finished" }, "fit.1 finished, jobs 6/10"],
] as const)("a run with %j is shown as %s", (fields, line) => {
  expect(statusLine({ name: "fit.1", progress, ...fields })).toBe(line);
});
