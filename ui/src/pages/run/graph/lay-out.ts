import { graphlib, layout } from "@dagrejs/dagre";
import type { VisibleGraph } from "./visible-graph.ts";

export const NODE_PX = { width: 208, height: 62 } as const;

/** Returns the place of each node: from the top to the bottom in the order of work. */
export function layOut({ nodes, edges }: VisibleGraph): ReadonlyMap<string, { x: number; y: number }> {
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
