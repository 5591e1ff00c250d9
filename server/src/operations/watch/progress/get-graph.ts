import type { Caller } from "#operations/context";
import type { WatchServices } from "#operations/watch/services";
import { findRun } from "#operations/find-run";
import { fullNameOf } from "#operations/full-name";
import { type NodeStatus, nodeStatuses } from "#operations/watch/progress/node-status";
import { Refusal } from "#plumbing/errors";
import { nodesOfRun } from "#store/jobs/run-nodes";
import type { JobState } from "#store/events/run-news";
import type { Run } from "#store/runs/runs";
import { type GraphEdge, type GraphNode, type NodeCounts, NO_JOBS } from "#workflow/graph";

export interface DrawnNode extends Pick<GraphNode, "id" | "name" | "parent"> {
  readonly status: NodeStatus;
  /** Totals of all the step's own jobs so far. */
  readonly counts: NodeCounts;
  /** Jobs of the step among the newest jobs of the run, each in its last attempt. */
  readonly jobs: readonly JobState[];
}

export interface RunGraph {
  readonly nodes: readonly DrawnNode[];
  readonly edges: readonly GraphEdge[];
}

/** Limit on the jobs in a picture. `listJobs` pages through all jobs of a node. */
const MAX_JOBS = 200;

/** Returns the graph of a run: the steps, their dependencies, and the current state of each step. */
export async function getGraph(
  context: Pick<WatchServices, "db" | "clock" | "graphs" | "jobStateCache">,
  caller: Caller,
  address: string,
): Promise<RunGraph> {
  const { db, graphs, jobStateCache } = context;
  const run = await findRun(context, caller, address, "see");
  const graph = await graphs.maybeGraph(run);
  if (!graph) throw noEngine(run);
  const { newest } = await jobStateCache.of(run);
  // Keep the last attempt of each job.
  const jobs = new Map(newest.slice(-MAX_JOBS).map((job) => [job.key, job]));
  const byNode = Map.groupBy(jobs.values(), ({ node }) => node);
  const records = new Map((await nodesOfRun(db, run.id)).map((record) => [record.node, record]));
  const statuses = nodeStatuses(run.status, graph.nodes, records);
  const nodes = graph.nodes.map(({ id, name, parent }) => ({
    id,
    name,
    parent,
    status: statuses.get(id)!,
    counts: records.get(id)?.counts ?? NO_JOBS,
    jobs: byNode.get(id) ?? [],
  }));
  return { nodes, edges: graph.edges };
}

function noEngine(run: Run): Refusal {
  return new Refusal(
    "not-implemented",
    `Workflow ${fullNameOf(run)} cannot be drawn: this server cannot run ${run.language} workflows.`,
    { errorCode: "language-not-supported" },
  );
}
