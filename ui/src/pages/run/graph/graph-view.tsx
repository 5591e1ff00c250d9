import { useQuery } from "@tanstack/react-query";
import { Background, type Edge, type Node, Panel, ReactFlow } from "@xyflow/react";
import "@xyflow/react/dist/style.css";
import { useMemo, useState } from "react";
import { useLocation } from "wouter";
import { graph } from "../../../api/run-asks.ts";
import { Button } from "../../../parts/button.tsx";
import { Empty, Trouble } from "../../../parts/notes.tsx";
import { Waiting } from "../../../parts/waiting.tsx";
import { firstInView, layOut, NODE_PX } from "./lay-out.ts";
import { ZoomButtons } from "./zoom-buttons.tsx";
import { StepNode, type StepNodeData } from "./step-node.tsx";
import { firstOpen, visibleGraph } from "./visible-graph.ts";

const NODE_TYPES = { step: StepNode };

/**
 * Draws the steps of a run and their dependencies, in live colours. A step links to its jobs, and a closed
 * group can be opened.
 */
export function GraphView({ id }: { readonly id: string }) {
  const { data, error } = useQuery(graph(id));
  const [chosen, setChosen] = useState<ReadonlySet<string>>();
  const [, navigate] = useLocation();
  const open = chosen ?? firstOpen(data?.nodes ?? []);
  const visible = useMemo(() => visibleGraph(data?.nodes ?? [], data?.edges ?? [], open), [data, open]);
  const shape = visible.nodes.map(({ node }) => node.id).join(" ");
  // The places depend on the shape alone: a change of status moves nothing.
  const places = useMemo(() => layOut(visible), [shape, visible.edges.length]);
  if (error) return <Trouble error={error} />;
  if (!data) return <Waiting />;
  if (data.nodes.length === 0) return <Empty title="The graph is drawn when the run starts." />;
  const enter = (nodeId: string, hidden: number) => {
    if (hidden > 0) setChosen(new Set([...open, nodeId]));
    else navigate(`/runs/${id}?node=${encodeURIComponent(nodeId)}`);
  };
  const nodes = visible.nodes.map(({ node, hidden }): Node<StepNodeData> => ({
    id: node.id,
    type: "step",
    position: places.get(node.id) ?? { x: 0, y: 0 },
    data: { node, hidden, onEnter: () => enter(node.id, hidden) },
    ...NODE_PX,
  }));
  const inView = {
    maxZoom: 1,
    padding: 0.15,
    nodes: firstInView(visible, places).map((each) => ({ id: each })),
  };
  const running = new Set(data.nodes.filter(({ status }) => status === "running").map((node) => node.id));
  const edges = visible.edges.map(({ from, to }): Edge => ({
    id: `${from} ${to}`,
    source: from,
    target: to,
    animated: running.has(to),
    focusable: false,
  }));
  return (
    <section
      aria-label="Graph of the run"
      className="h-[calc(100dvh-var(--above))] min-h-96 overflow-hidden rounded-lg border border-line bg-surface"
    >
      <ReactFlow
        nodes={nodes}
        edges={edges}
        nodeTypes={NODE_TYPES}
        fitView
        fitViewOptions={inView}
        minZoom={0.05}
        nodesDraggable={false}
        nodesConnectable={false}
        nodesFocusable={false}
        onlyRenderVisibleElements={nodes.length > 200}
        proOptions={{ hideAttribution: false }}
      >
        <Background color="var(--line)" gap={24} />
        <ZoomButtons inView={inView} />
        {open.size > 0 && (
          <Panel position="top-right">
            <Button onClick={() => setChosen(new Set())}>Close all groups</Button>
          </Panel>
        )}
      </ReactFlow>
    </section>
  );
}
