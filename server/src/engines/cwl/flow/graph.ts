import type { Instruction } from "#engines/engine";
import { placeOf } from "#engines/cwl/flow/places";
import type { Address } from "#engines/cwl/flow/state";
import type { CwlModel, Workflow } from "#engines/cwl/model/model";
import type { Graph, GraphEdge, GraphNode } from "#workflow/graph";

/** Returns the graph of a workflow: a node for each step. Steps of a nested workflow lie within its node. */
export function graphOf(model: CwlModel): Graph {
  const main = model.processes[model.main]!;
  if (main.kind !== "workflow") {
    const jobs = main.kind === "tool" ? 1 : null;
    return { nodes: [{ id: main.name, name: main.name, parent: null, jobs }], edges: [] };
  }
  const nodes: GraphNode[] = [];
  const edges: GraphEdge[] = [];
  drawSteps(model, main, null, true, nodes, edges);
  return { nodes, edges };
}

function drawSteps(
  model: CwlModel,
  workflow: Workflow,
  parent: string | null,
  isCertain: boolean,
  nodes: GraphNode[],
  edges: GraphEdge[],
): void {
  const idOf = (name: string) => (parent === null ? encoded(name) : `${parent}/${encoded(name)}`);
  for (const step of workflow.steps) {
    const process = model.processes[step.run]!;
    const runsOnce = isCertain && step.scatter.length === 0 && step.when === undefined;
    const id = idOf(step.name);
    nodes.push({ id, name: step.name, parent, jobs: runsOnce && process.kind === "tool" ? 1 : null });
    if (process.kind === "workflow") drawSteps(model, process, id, runsOnce, nodes, edges);
  }
  for (const step of workflow.steps) {
    const before = new Set(
      step.inputs.flatMap(({ sources }) => sources.filter((one) => one.length === 2).map(([name]) => name)),
    );
    for (const name of before) edges.push({ from: idOf(name), to: idOf(step.name) });
  }
}

function encoded(name: string): string {
  return name.replaceAll("%", "%25").replaceAll("/", "%2F");
}

/** Marks a step and all steps inside as finished. A step inside a scatter is finished together with the scatter. */
export function finishedMarks(model: CwlModel, address: Address, wasSkipped: boolean): Instruction[] {
  const above = placeOf(model, address.slice(0, -1));
  const isInScatter = above.path.some(
    (word, index) => above.node.split("/").length !== above.path.length && index > -1 && word !== "",
  );
  if (address.length > 1 && isInScatter) return [];
  const step = (above.process as Workflow).steps[address.at(-1)!]!;
  const { node } = placeOf(model, [...address, 0]);
  const as = wasSkipped ? "skipped" : "finished";
  const marks: Instruction[] = [];
  const mark = (id: string, run: number, jobs: number | null) => {
    if (jobs === null) marks.push({ do: "mark", node: id, as });
    const process = model.processes[run]!;
    if (process.kind !== "workflow") return;
    for (const inner of process.steps) mark(`${id}/${encoded(inner.name)}`, inner.run, null);
  };
  const isOne =
    step.scatter.length === 0 && step.when === undefined && model.processes[step.run]!.kind === "tool";
  mark(node, step.run, isOne ? 1 : null);
  return marks;
}
