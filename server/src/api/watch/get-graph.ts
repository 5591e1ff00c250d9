import Type, { type Static } from "typebox";
import { JobStatusWord } from "#api/watch/job-record";
import { endpoint } from "#api/http/endpoint";
import { nullable, oneOf } from "#api/http/document/schemas";
import { WORKFLOW_PARAMS } from "#api/http/reply/workflow-records";
import { type DrawnNode, getGraph } from "#operations/watch/progress/get-graph";
import { NODE_STATUSES } from "#operations/watch/progress/node-status";

const count = (description: string) => Type.Integer({ minimum: 0, description });

const Counts = Type.Object(
  {
    created: count("Waiting for capacity."),
    running: count("Running now."),
    finished: count("Finished by running."),
    failed: count("Failed, without a further attempt."),
    stopped: count("Ended because the run was."),
    taken_over: count("Not run: results of an earlier run were reused."),
    retried: count("Attempts that were followed by another. All other numbers count each job once."),
  },
  { title: "NodeCounts", description: "All jobs of the node so far, by status." },
);

const Node = Type.Object(
  {
    id: Type.String(),
    name: Type.String({ description: "Name of the step, or an empty string." }),
    parent: nullable(Type.String({ description: "Id of the enclosing node." })),
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
      {
        description:
          "The run's newest jobs of the node, each with the last attempt. `jobs?node=` lists all jobs of the node.",
      },
    ),
    counts: Counts,
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
    return { nodes: nodes.map(nodeRecord), edges: [...edges] };
  },
});

function nodeRecord({ counts: { takenOver, ...counts }, jobs, ...node }: DrawnNode): Static<typeof Node> {
  return {
    ...node,
    counts: { ...counts, taken_over: takenOver },
    jobs: jobs.map(({ id, key, attempt, status }) => ({ id, key, attempt, status })),
  };
}
