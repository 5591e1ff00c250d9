import type { GraphNode } from "../../../api/run-asks.ts";

export interface GraphEdge {
  readonly from: string;
  readonly to: string;
}

export interface VisibleNode {
  readonly node: GraphNode;
  /** Number of hidden nodes inside a closed group. */
  readonly hidden: number;
}

export interface VisibleGraph {
  readonly nodes: readonly VisibleNode[];
  readonly edges: readonly GraphEdge[];
}

/** A graph with more nodes is shown with its groups closed. */
const OPEN_UP_TO = 40;

/** Returns the initially open groups. */
export function firstOpen(nodes: readonly GraphNode[]): ReadonlySet<string> {
  if (nodes.length > OPEN_UP_TO) return new Set();
  return new Set(nodes.flatMap(({ parent }) => (parent === null ? [] : [parent])));
}

/** Returns the nodes outside closed groups, with each edge between the nodes that stand for its ends. */
export function visibleGraph(
  nodes: readonly GraphNode[],
  edges: readonly GraphEdge[],
  open: ReadonlySet<string>,
): VisibleGraph {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const groups = new Set(nodes.flatMap(({ parent }) => (parent === null ? [] : [parent])));
  const standIn = (id: string): string => {
    const parent = byId.get(id)?.parent;
    if (parent === null || parent === undefined) return id;
    const above = standIn(parent);
    return above === parent && open.has(parent) ? id : above;
  };
  const hidden = new Map<string, number>();
  for (const { id } of nodes) {
    const shown = standIn(id);
    if (shown !== id) hidden.set(shown, (hidden.get(shown) ?? 0) + 1);
  }
  // An open group is drawn as its nodes, without a node for the group itself.
  const isShown = ({ id }: GraphNode) => standIn(id) === id && !(groups.has(id) && open.has(id));
  const shownIds = new Set(nodes.filter(isShown).map(({ id }) => id));
  const mapped = edges
    .map(({ from, to }) => ({ from: standIn(from), to: standIn(to) }))
    .filter(({ from, to }) => from !== to && shownIds.has(from) && shownIds.has(to));
  return {
    nodes: nodes.filter(isShown).map((node) => ({ node, hidden: hidden.get(node.id) ?? 0 })),
    edges: [...new Map(mapped.map((edge) => [`${edge.from} ${edge.to}`, edge])).values()],
  };
}
