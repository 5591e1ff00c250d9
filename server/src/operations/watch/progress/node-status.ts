import type { NodeRecord } from "#store/jobs/run-nodes";
import { type GraphNode, jobsIn, type NodeCounts, NO_JOBS } from "#workflow/graph";
import { isLive, type RunStatus } from "#workflow/run/run-status";

/** State of a step, shown as the colour of its box. */
export const NODE_STATUSES = ["waiting", "running", "finished", "failed", "stopped", "skipped"] as const;

export type NodeStatus = (typeof NODE_STATUSES)[number];

type Node = Pick<GraphNode, "id" | "parent" | "jobs">;
type Records = ReadonlyMap<string, Pick<NodeRecord, "mark" | "counts">>;

/** Returns the state of each node: the engine's mark, or the state derived from its jobs and inner nodes. */
export function nodeStatuses(
  runStatus: RunStatus,
  nodes: readonly Node[],
  records: Records,
): ReadonlyMap<string, NodeStatus> {
  const inside = Map.groupBy(nodes, ({ parent }) => parent);
  const statuses = new Map<string, NodeStatus>();
  // A node is drawn after its parent. The reverse order gives each node's state before its parent's.
  for (const node of nodes.toReversed()) {
    const { mark, counts } = records.get(node.id) ?? { mark: null, counts: NO_JOBS };
    const parts = (inside.get(node.id) ?? []).map(({ id }) => statuses.get(id) ?? "waiting");
    const own = parts.length === 0 || jobsIn(counts) > 0 ? [ownStatus(runStatus, node, counts)] : [];
    statuses.set(node.id, mark ?? together(runStatus, [...own, ...parts]));
  }
  return statuses;
}

function ownStatus(runStatus: RunStatus, { jobs }: Node, counts: NodeCounts): NodeStatus {
  if (counts.failed > 0) return "failed";
  const done = counts.finished + counts.takenOver;
  if (jobs !== null && jobs > 0 && done >= jobs) return "finished";
  const isOpen = isLive(runStatus) || runStatus === "created";
  if (jobsIn(counts) === 0) return isOpen ? "waiting" : "skipped";
  if (isOpen) return "running";
  return runStatus === "finished" ? "finished" : "stopped";
}

/** Returns the state of a node with inner nodes. */
function together(runStatus: RunStatus, parts: readonly NodeStatus[]): NodeStatus {
  const [first] = parts;
  if (first !== undefined && parts.every((part) => part === first)) return first;
  if (parts.includes("failed")) return "failed";
  if (parts.every((part) => part === "finished" || part === "skipped")) return "finished";
  return isLive(runStatus) ? "running" : "stopped";
}
