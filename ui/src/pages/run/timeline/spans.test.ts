import { expect, test } from "vitest";
import type { Job } from "../../../api/run-asks.ts";
import { criticalPath, spansOf } from "./spans.ts";

const at = (second: number | null) => (second === null ? null : Date.UTC(2026, 10, 22, 12, 0, second));

function job(
  node: string,
  [created, started, finished]: readonly [number, number | null, number | null],
): Job {
  return {
    id: `id of ${node}`,
    node,
    started_at: started === null ? null : "2026-11-22T12:00:00Z",
    times_ms: { created: at(created), started: at(started), finished: at(finished) },
    usage: { wall_ms: null, cpu_ms: null, peak_bytes: null },
  } as Job;
}

const NOW = at(20)!;

test("shares of waiting and work lie between the first job and the last, or now", () => {
  const { spans, totalMs } = spansOf([job("a", [0, 1, 5]), job("b", [5, null, null])], NOW);
  expect(totalMs).toBe(20_000);
  expect(spans.map(({ waitShare, workShare }) => [waitShare, workShare])).toEqual([
    [
      [0, 0.05],
      [0.05, 0.2],
    ],
    [
      [0.25, 0.75],
      [1, 0],
    ],
  ]);
});

test("the critical path leads from the last job back to the first, by the longest branch", () => {
  const jobs = [job("a", [0, 0, 2]), job("short", [2, 2, 3]), job("long", [2, 2, 9]), job("end", [9, 9, 10])];
  const edges = [
    { from: "a", to: "short" },
    { from: "a", to: "long" },
    { from: "short", to: "end" },
    { from: "long", to: "end" },
  ];
  expect([...criticalPath(jobs, edges)]).toEqual(["id of end", "id of long", "id of a"]);
});

test("the critical path has each command of a step, and each attempt", () => {
  const jobs = [
    job("a", [0, 0, 2]),
    { ...job("b", [2, 2, 4]), id: "first of b" },
    { ...job("b", [4, 5, 9]), id: "second of b" },
  ];
  const path = criticalPath(jobs, [{ from: "a", to: "b" }]);
  expect([...path]).toEqual(["second of b", "first of b", "id of a"]);
});

test("jobs of a scatter that waited together do not wait for each other", () => {
  const scattered = [1, 2, 3].map((second) => ({
    ...job("count", [0, second, second + 1]),
    id: `task ${second}`,
  }));
  const jobs = [...scattered, job("table", [4, 4, 5])];
  expect([...criticalPath(jobs, [{ from: "count", to: "table" }])]).toEqual(["id of table", "task 3"]);
});

test("the critical path includes jobs of zero duration, such as jobs reused by a restart", () => {
  const jobs = [job("a", [0, 0, 0]), job("b", [0, 0, 0]), job("c", [0, 0, 9])];
  const edges = [
    { from: "a", to: "b" },
    { from: "b", to: "c" },
  ];
  expect([...criticalPath(jobs, edges)]).toEqual(["id of c", "id of b", "id of a"]);
});

test("a job without a predecessor in the graph waited for the last job to end before the creation", () => {
  const jobs = [job("snakemake", [0, 0, 9]), job("rule", [1, 2, 8]), job("report", [9, 9, 10])];
  expect([...criticalPath(jobs, [])]).toEqual(["id of report", "id of snakemake"]);
});

test("a cycle in a graph ends the path", () => {
  const edges = [
    { from: "a", to: "b" },
    { from: "b", to: "a" },
  ];
  expect(criticalPath([job("a", [0, 0, 2]), job("b", [2, 2, 3])], edges).size).toBe(2);
});
