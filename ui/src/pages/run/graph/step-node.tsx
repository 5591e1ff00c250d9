import { Handle, Position } from "@xyflow/react";
import type { GraphNode } from "../../../api/run-asks.ts";
import { StatusIcon } from "../../../parts/status-mark.tsx";

export interface StepNodeData extends Record<string, unknown> {
  readonly node: GraphNode;
  readonly hidden: number;
  readonly onEnter: () => void;
}

const HANDLE = "!size-1 !min-h-0 !min-w-0 !border-0 !opacity-0";

/** A step in the graph, with its status, name and job counts. */
export function StepNode({ data: { node, hidden, onEnter } }: { readonly data: StepNodeData }) {
  return (
    <>
      <Handle type="target" position={Position.Top} className={HANDLE} />
      <button
        type="button"
        onClick={onEnter}
        className="nopan flex h-[62px] w-[208px] items-center gap-2.5 rounded-lg border border-line bg-surface px-3 text-left shadow-sm hover:border-accent"
      >
        <StatusIcon status={node.status} size={20} />
        <span className="min-w-0">
          <span className="block truncate text-sm font-medium">{node.name}</span>
          <span className="line-clamp-2 text-xs leading-tight text-muted">
            {hidden > 0 ? `${hidden} steps inside · ` : ""}
            {countsText(node)}
          </span>
        </span>
      </button>
      <Handle type="source" position={Position.Bottom} className={HANDLE} />
    </>
  );
}

/** Says more than the state only if the step has more than one job. */
function countsText({ status, counts }: GraphNode): string {
  const { created, running, finished, failed, stopped, taken_over: taken } = counts;
  const total = created + running + finished + failed + stopped;
  if (total <= 1) return taken > 0 ? "taken over" : status;
  const parts = [
    [finished, "finished"],
    [running, "running"],
    [failed, "failed"],
    [stopped, "stopped"],
    [created, "waiting"],
  ] as const;
  return parts
    .filter(([count]) => count > 0)
    .map(([count, word]) => `${count.toLocaleString()} ${word}`)
    .join(", ");
}
