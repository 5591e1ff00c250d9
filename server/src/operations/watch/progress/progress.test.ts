import { describe, expect, test } from "vitest";
import { jobProgress, maybeCurrent } from "#operations/watch/progress/progress";
import type { JobRecord } from "#store/jobs/jobs";

const progressOf = (jobsTotal: number, jobs: readonly JobRecord[]) =>
  jobProgress({ jobsTotal }, jobs, maybeCurrent(jobs));

const job = (id: string, status: JobRecord["status"], name = id) =>
  ({ id, status, name, command: `run ${id}` }) as JobRecord;

describe("progress", () => {
  test("groups jobs by status; the newest running job is the current job", () => {
    const jobs = [
      job("a", "finished"),
      job("b", "failed"),
      job("c", "running"),
      job("d", "running"),
      job("e", "stopped"),
    ];
    expect(progressOf(9, jobs)).toEqual({
      currentLabel: null,
      total: { total: 9, jobIds: ["a", "b", "c", "d", "e"] },
      running: { total: 2, jobIds: ["c", "d"] },
      finished: { total: 1, jobIds: ["a"] },
      failed: { total: 1, jobIds: ["b"] },
      currentCommand: "run d",
      currentStepName: "d",
    });
  });

  test("the last job stays the current job until another job runs", () => {
    const jobs = [job("a", "finished"), job("b", "failed"), job("c", "created")];
    expect(progressOf(3, jobs)).toMatchObject({ currentCommand: "run b", currentStepName: "b" });
    expect(progressOf(1, [job("a", "created")])).toMatchObject({ currentCommand: null });
  });

  test("no job is current before the first job; a step without a name has no current job", () => {
    expect(progressOf(0, [])).toMatchObject({
      currentCommand: null,
      currentStepName: null,
    });
    const unnamed = progressOf(1, [job("a", "running", "")]);
    expect(unnamed).toMatchObject({ currentCommand: "run a", currentStepName: null });
  });
});
