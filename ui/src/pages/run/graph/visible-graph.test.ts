import { expect, test } from "vitest";
import type { GraphNode } from "../../../api/run-asks.ts";
import { firstOpen, visibleGraph } from "./visible-graph.ts";

const NONE = { created: 0, running: 0, finished: 0, failed: 0, stopped: 0, taken_over: 0, retried: 0 };
const node = (id: string, parent: string | null = null): GraphNode => ({
  id,
  name: id,
  parent,
  status: "waiting",
  jobs: [],
  counts: NONE,
});

const NODES = [node("a"), node("group"), node("g1", "group"), node("g2", "group"), node("z")];
const EDGES = [
  { from: "a", to: "g1" },
  { from: "a", to: "g2" },
  { from: "g1", to: "g2" },
  { from: "g2", to: "z" },
];

test("a closed group stands for what is inside, with one edge for many", () => {
  const { nodes, edges } = visibleGraph(NODES, EDGES, new Set());
  expect(nodes.map(({ node: { id }, hidden }) => [id, hidden])).toEqual([
    ["a", 0],
    ["group", 2],
    ["z", 0],
  ]);
  expect(edges).toEqual([
    { from: "a", to: "group" },
    { from: "group", to: "z" },
  ]);
});

test("an open group is drawn as its nodes", () => {
  const { nodes, edges } = visibleGraph(NODES, EDGES, new Set(["group"]));
  expect(nodes.map(({ node: { id } }) => id)).toEqual(["a", "g1", "g2", "z"]);
  expect(edges).toEqual(EDGES);
});

test("small graphs are open at first, large ones closed", () => {
  expect(firstOpen(NODES)).toEqual(new Set(["group"]));
  const many = Array.from({ length: 10_000 }, (_, index) => node(`n${index}`, "group"));
  expect(firstOpen([...NODES, ...many])).toEqual(new Set());
  expect(visibleGraph([...NODES, ...many], EDGES, new Set()).nodes).toHaveLength(3);
});
