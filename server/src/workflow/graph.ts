/**
 * The graph of a run: its steps and their dependencies. The states of steps follow from the run's records.
 */
export interface Graph {
  readonly nodes: readonly GraphNode[];
  readonly edges: readonly GraphEdge[];
}

export interface GraphNode {
  readonly id: string;
  readonly name: string;
  /** The containing node: a workflow within the workflow. */
  readonly parent: string | null;
  /**
   * Number of jobs that complete the node. Null if the number is unknown beforehand; the engine then marks
   * the node.
   */
  readonly jobs: number | null;
}

export interface GraphEdge {
  readonly from: string;
  readonly to: string;
}

/** An engine's statement about a node, beyond the states of jobs: outputs refused, or condition false. */
export const NODE_MARKS = ["finished", "failed", "skipped"] as const;

export type NodeMark = (typeof NODE_MARKS)[number];

/**
 * Totals of a node's jobs. Each job counts once, by its last attempt, except for `retried`: the number of attempts that
 * another attempt has followed.
 */
export interface NodeCounts {
  readonly created: number;
  readonly running: number;
  readonly finished: number;
  readonly failed: number;
  readonly stopped: number;
  readonly takenOver: number;
  readonly retried: number;
}

export const NO_JOBS: NodeCounts = {
  created: 0,
  running: 0,
  finished: 0,
  failed: 0,
  stopped: 0,
  takenOver: 0,
  retried: 0,
};

/** Returns the number of jobs behind the totals, each attempt counted. */
export function jobsIn(counts: NodeCounts): number {
  return Object.values(counts).reduce((sum: number, one: number) => sum + one, 0);
}
