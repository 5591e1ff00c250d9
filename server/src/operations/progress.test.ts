import { describe, expect, test } from "vitest";
import { jobProgress } from "#operations/progress";
import type { JobRecord } from "#store/jobs";
import type { Workflow } from "#store/workflows";

const job = (id: string, status: JobRecord["status"], name = id) =>
  ({ id, status, name, command: `run ${id}` }) as JobRecord;

describe("progress", () => {
  test("groups jobs by their status; the newest running one is the current one", () => {
    const jobs = [
      job("a", "finished"),
      job("b", "failed"),
      job("c", "running"),
      job("d", "running"),
      job("e", "stopped"),
    ];
    expect(jobProgress({ jobsTotal: 9 } as Workflow, jobs)).toEqual({
      total: { total: 9, jobIds: ["a", "b", "c", "d", "e"] },
      running: { total: 2, jobIds: ["c", "d"] },
      finished: { total: 1, jobIds: ["a"] },
      failed: { total: 1, jobIds: ["b"] },
      currentCommand: "run d",
      currentStepName: "d",
    });
  });

  test("before the first job there is no current one; a step without a name has none", () => {
    expect(jobProgress({ jobsTotal: 0 } as Workflow, [])).toMatchObject({
      currentCommand: null,
      currentStepName: null,
    });
    const unnamed = jobProgress({ jobsTotal: 1 } as Workflow, [job("a", "running", "")]);
    expect(unnamed).toMatchObject({ currentCommand: "run a", currentStepName: null });
  });
});
