import { expect, test } from "vitest";
import type { GraphNode } from "../../../api/run-asks.ts";
import { firstInView, layOut } from "./lay-out.ts";

const COUNTS = { created: 0, running: 0, finished: 0, failed: 0, stopped: 0, taken_over: 0, retried: 0 };

/** A chain of steps, one of which may have failed. */
function chainOf(length: number, failed?: number) {
  const nodes = Array.from({ length }, (_, index) => ({
    node: {
      id: `${index}`,
      name: `step ${index}`,
      parent: null,
      status: index === failed ? "failed" : "finished",
      jobs: [],
      counts: COUNTS,
    } satisfies GraphNode,
    hidden: 0,
  }));
  const edges = nodes.slice(1).map((_, index) => ({ from: `${index}`, to: `${index + 1}` }));
  return { nodes, edges };
}

test.each([
  ["all of a short chain", 20, undefined, 0, 19],
  ["the beginning of a long chain", 1000, undefined, 0, 4],
  ["the surroundings of the failed step of a long chain", 1000, 500, 496, 504],
] as const)("in view first is %s", (_name, length, failed, from, to) => {
  const chain = chainOf(length, failed);
  const inView = firstInView(chain, layOut(chain)).map(Number);
  expect([Math.min(...inView), Math.max(...inView), inView.length]).toEqual([from, to, to - from + 1]);
});
