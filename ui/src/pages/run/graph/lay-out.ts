import { graphlib, layout } from "@dagrejs/dagre";
import type { VisibleGraph } from "./visible-graph.ts";

export const NODE_PX = { width: 208, height: 62 } as const;

interface Shape {
  readonly nodes: readonly { readonly node: { readonly id: string } }[];
  readonly edges: readonly { readonly from: string; readonly to: string }[];
}

/** Returns the place of each node: from the top to the bottom in the order of work. */
export function layOut({ nodes, edges }: Shape): ReadonlyMap<string, { x: number; y: number }> {
  const graph = new graphlib.Graph();
  graph.setGraph({ rankdir: "TB", nodesep: 24, ranksep: 48 });
  graph.setDefaultEdgeLabel(() => ({}));
  for (const { node } of nodes) graph.setNode(node.id, { ...NODE_PX });
  for (const { from, to } of edges) graph.setEdge(from, to);
  layout(graph);
  return new Map(
    nodes.map(({ node: { id } }) => {
      const { x, y } = graph.node(id);
      return [id, { x: x - NODE_PX.width / 2, y: y - NODE_PX.height / 2 }];
    }),
  );
}

/** The largest graph whose steps can still be told apart when the whole graph is in view. */
const READABLE_PX = { width: 5000, height: 2500 };
/** The part of a larger graph that is in view first. */
const PART_PX = { width: 2000, height: 1000 };

type Places = ReadonlyMap<string, { readonly x: number; readonly y: number }>;

/**
 * Returns the nodes that are in view first: all of a readable graph, else the surroundings of the first failed or
 * running step, or of the first step.
 */
export function firstInView({ nodes }: Pick<VisibleGraph, "nodes">, places: Places): string[] {
  const all = [...places.keys()];
  const [xs, ys] = [[...places.values()].map(({ x }) => x), [...places.values()].map(({ y }) => y)];
  const isReadable = spread(xs) <= READABLE_PX.width && spread(ys) <= READABLE_PX.height;
  const first = ["failed", "running"].flatMap(
    (status) => nodes.find(({ node }) => node.status === status) ?? [],
  );
  const centre = places.get((first[0] ?? nodes[0])?.node.id ?? "");
  if (isReadable || !centre) return all;
  return all.filter((id) => {
    const { x, y } = places.get(id)!;
    return Math.abs(x - centre.x) <= PART_PX.width / 2 && Math.abs(y - centre.y) <= PART_PX.height / 2;
  });
}

function spread(values: readonly number[]): number {
  const [least, most] = [
    values.reduce((a, b) => Math.min(a, b), 0),
    values.reduce((a, b) => Math.max(a, b), 0),
  ];
  return most - least;
}
