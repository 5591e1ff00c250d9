import type { Plan } from "#engines/serial/plan";
import type { Instruction } from "#engines/engine";
import type { Graph, GraphNode } from "#workflow/graph";

/** Returns a chain of nodes, one for each planned step. */
export function graphOf({ commands }: Plan): Graph {
  const steps = Map.groupBy(commands, (command) => nodeOf(command));
  const nodes = [...steps].map(([id, ofStep]): GraphNode => ({
    id,
    name: ofStep[0]!.stepName,
    parent: null,
    jobs: ofStep.length,
  }));
  const edges = nodes.slice(1).map((node, index) => ({ from: nodes[index]!.id, to: node.id }));
  return { nodes, edges };
}

/** Returns the id of a command's node. */
export function nodeOf({ stepIndex }: { readonly stepIndex: number }): string {
  return String(stepIndex);
}

/**
 * Marks the steps with commands left out of a restart on request: skipped, or finished if the step's remaining commands
 * were taken over.
 */
export function marksOf({ commands }: Plan, [from, to]: readonly [from: number, to: number]): Instruction[] {
  const leftOut = new Set(commands.slice(from, to).map(nodeOf));
  const takenOver = new Set(commands.slice(0, from).map(nodeOf));
  const run = new Set(commands.slice(to).map(nodeOf));
  return [...leftOut]
    .filter((node) => !run.has(node))
    .map((node) => ({ do: "mark", node, as: takenOver.has(node) ? "finished" : "skipped" }));
}
