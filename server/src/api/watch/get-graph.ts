import Type from "typebox";
import { JobStatusWord } from "#api/watch/job-record";
import { endpoint } from "#api/http/endpoint";
import { nullable, oneOf } from "#api/http/schemas";
import { WORKFLOW_PARAMS } from "#api/http/workflow-records";
import { getGraph, NODE_STATUSES } from "#operations/watch/get-graph";

const Node = Type.Object(
  {
    id: Type.String(),
    name: Type.String({ description: "Name of the step, or an empty string." }),
    parent: nullable(Type.String({ description: "The node that contains this one." })),
    status: oneOf(NODE_STATUSES, {
      description:
        "`waiting`: not started yet. `skipped`: never started, or never will be. `stopped`: started, and " +
        "ended with the run.",
    }),
    jobs: Type.Array(
      Type.Object({
        id: Type.String({ format: "uuid" }),
        key: Type.String(),
        attempt: Type.Integer(),
        status: JobStatusWord,
      }),
      { description: "Jobs of the node so far." },
    ),
  },
  { title: "GraphNode" },
);

export const getGraphEndpoint = endpoint({
  operation: "get-graph",
  summary: "Show the graph of a workflow: its steps, their dependencies and their current states",
  access: "user",
  refuses: [501],
  schema: {
    params: WORKFLOW_PARAMS,
    response: {
      200: Type.Object({
        nodes: Type.Array(Node),
        edges: Type.Array(
          Type.Object({ from: Type.String(), to: Type.String() }, { description: "The ids of two nodes." }),
        ),
      }),
    },
  },
  async handle(context, { params, caller }) {
    const { nodes, edges } = await getGraph(context, caller, params.workflow_id_or_name);
    return { nodes: nodes.map((node) => ({ ...node, jobs: [...node.jobs] })), edges: [...edges] };
  },
});
