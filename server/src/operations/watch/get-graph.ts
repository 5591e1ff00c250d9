import type { GraphEdge, GraphNode } from "#engines/engine";
import type { Caller, Operations } from "#operations/context";
import { findRun } from "#operations/find-run";
import { fullNameOf } from "#operations/full-name";
import { Refusal } from "#plumbing/errors";
import type { JobState } from "#store/events/run-news";
import type { Run } from "#store/runs/runs";
import { isLive } from "#workflow/run-status";

export type { JobState };

/** State of a step, shown as the colour of its box. */
export const NODE_STATUSES = ["waiting", "running", "finished", "failed", "stopped", "skipped"] as const;

export interface DrawnNode extends Pick<GraphNode, "id" | "name" | "parent"> {
  readonly status: (typeof NODE_STATUSES)[number];
  /** Jobs that the step has led to so far. */
  readonly jobs: readonly JobState[];
}

export interface RunGraph {
  readonly nodes: readonly DrawnNode[];
  readonly edges: readonly GraphEdge[];
}

/** Returns the picture of a run: its steps, how they depend on each other, and the present state of each. */
export async function getGraph(
  { db, graphs, jobStateCache }: Pick<Operations, "db" | "graphs" | "jobStateCache">,
  caller: Caller,
  address: string,
): Promise<RunGraph> {
  const run = await findRun(db, caller, address, "see");
  const graph = await graphs.maybeGraph(run);
  if (!graph) throw noEngine(run);
  // In the order of submission: if there are several attempts, the last one counts.
  const jobs = new Map((await jobStateCache.of(run)).map((job) => [job.key, job]));
  return { nodes: graph.nodes.map((node) => drawn(run, node, jobs)), edges: graph.edges };
}

function noEngine(run: Run): Refusal {
  return new Refusal(
    "not-implemented",
    `Workflow ${fullNameOf(run)} cannot be drawn: this server cannot run ${run.language} workflows.`,
    { errorCode: "language-not-supported" },
  );
}

function drawn(run: Run, node: GraphNode, all: ReadonlyMap<string, JobState>): DrawnNode {
  const jobs = node.jobs.map((key) => all.get(key)).filter((job) => job !== undefined);
  const { id, name, parent } = node;
  return { id, name, parent, status: statusOf(run, node, jobs), jobs };
}

function statusOf(run: Run, { progress }: GraphNode, jobs: readonly JobState[]): DrawnNode["status"] {
  if (progress === "done") return "finished";
  if (jobs.some(({ status }) => status === "failed")) return "failed";
  const isRunLive = isLive(run.status);
  if (progress === "begun") return isRunLive ? "running" : "stopped";
  return progress === "waiting" && (isRunLive || run.status === "created") ? "waiting" : "skipped";
}
