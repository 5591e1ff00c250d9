import type { Instruction } from "#engines/engine";
import type { PlanMessage } from "#engines/snakemake/messages";
import { PLANNER, REPORT } from "#engines/snakemake/planner-job";
import type { SnakemakeState } from "#engines/snakemake/state";
import type { Graph, GraphNode } from "#workflow/graph";

/** The part of the picture that exists before planning. */
export const FIRST_GRAPH: Graph = {
  nodes: [node(PLANNER, "snakemake", 1), node(REPORT, "report", 1)],
  edges: [],
};

/** Returns the node shared by all jobs of a rule. */
export function nodeOf(rule: string): string {
  return `rule ${rule}`;
}

function node(id: string, name: string, jobs: number | null): GraphNode {
  return { id, name, parent: null, jobs };
}

/** Adds a plan to the graph, and marks the rules of which no job has to run. */
export function drawnPlan(
  before: SnakemakeState["plan"],
  plan: Omit<PlanMessage, "kind">,
): readonly Instruction[] {
  const drawn = new Set(before?.rules.map(({ name }) => name));
  const rules = plan.rules.filter(({ name }) => !drawn.has(name));
  const lines = new Set(before?.edges.map(String));
  const edges = plan.edges.filter((edge) => !lines.has(String(edge)));
  const nodes = rules.map(({ name, jobs }) => node(nodeOf(name), name, plan.mayGrow ? null : jobs));
  const idle = rules.filter(({ jobs }) => jobs === 0);
  if (nodes.length + edges.length === 0) return [];
  return [
    { do: "draw", nodes, edges: edges.map(([from, to]) => ({ from: nodeOf(from), to: nodeOf(to) })) },
    ...idle.map(({ name }) => ({ do: "mark", node: nodeOf(name), as: "finished" }) as const),
  ];
}

/** Draws the node of a rule not named in any plan. */
export function drawnRule(rule: string): Instruction {
  return { do: "draw", nodes: [node(nodeOf(rule), rule, null)], edges: [] };
}

/** Marks the rules with a number of jobs known only at the end of the run. */
export function marksAtEnd({ plan }: SnakemakeState): readonly Instruction[] {
  if (!plan?.mayGrow) return [];
  return plan.rules.map(({ name }) => ({ do: "mark", node: nodeOf(name), as: "finished" }));
}
