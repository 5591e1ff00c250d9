import { describe, expect, test } from "vitest";
import { nodeStatuses } from "#operations/watch/progress/node-status";
import { NO_JOBS, type NodeCounts, type NodeMark } from "#workflow/graph";
import type { RunStatus } from "#workflow/run/run-status";

function statusOf(
  run: RunStatus,
  counts: Partial<NodeCounts>,
  { jobs = null, mark = null }: { readonly jobs?: number | null; readonly mark?: NodeMark | null } = {},
) {
  const records = new Map([["n", { counts: { ...NO_JOBS, ...counts }, mark }]]);
  return nodeStatuses(run, [{ id: "n", parent: null, jobs }], records).get("n");
}

describe("the state of a node", () => {
  test.each([
    ["created", {}, "waiting"],
    ["running", {}, "waiting"],
    ["failed", {}, "skipped"],
    ["finished", {}, "skipped"],
    ["running", { created: 1 }, "running"],
    ["running", { finished: 3 }, "running"],
    ["finished", { finished: 3 }, "finished"],
    ["stopped", { finished: 3 }, "stopped"],
    ["stopped", { stopped: 1 }, "stopped"],
    ["running", { finished: 3, failed: 1 }, "failed"],
    ["running", { running: 1, retried: 1 }, "running"],
  ] as const)("of a %s run with the jobs %o is %s", (run, counts, expected) => {
    expect(statusOf(run, counts)).toBe(expected);
  });

  test("is finished once as many jobs as it takes have finished or were taken over", () => {
    expect(statusOf("running", { finished: 1, takenOver: 1 }, { jobs: 2 })).toBe("finished");
    expect(statusOf("running", { finished: 1 }, { jobs: 2 })).toBe("running");
  });

  test.each(["finished", "failed", "skipped"] as const)("is the engine's state: %s", (mark) => {
    expect(statusOf("running", { finished: 2, running: 1 }, { jobs: 3, mark })).toBe(mark);
  });
});

describe("the state of a node with inner nodes", () => {
  const inside = (run: RunStatus, first: Partial<NodeCounts>, second: Partial<NodeCounts>) => {
    const node = (id: string, parent: string | null, jobs: number | null) => ({ id, parent, jobs });
    const nodes = [node("outer", null, null), node("a", "outer", 1), node("b", "outer", 1)];
    const record = (counts: Partial<NodeCounts>) => ({ counts: { ...NO_JOBS, ...counts }, mark: null });
    return nodeStatuses(
      run,
      nodes,
      new Map([
        ["a", record(first)],
        ["b", record(second)],
      ]),
    ).get("outer");
  };

  test.each([
    ["running", {}, {}, "waiting"],
    ["running", { finished: 1 }, {}, "running"],
    ["running", { finished: 1 }, { finished: 1 }, "finished"],
    ["running", { running: 1 }, { failed: 1 }, "failed"],
    ["stopped", { finished: 1 }, { stopped: 1 }, "stopped"],
    ["stopped", {}, {}, "skipped"],
    ["finished", { finished: 1 }, {}, "finished"],
  ] as const)("of a %s run with %o and %o is %s", (run, first, second, expected) => {
    expect(inside(run, first, second)).toBe(expected);
  });
});
