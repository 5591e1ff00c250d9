import type { Graph, GraphNode } from "#engines/engine";
import type { Plan, PlannedCommand } from "#engines/serial/plan";

/** One node for each step that runs, in a row. `position` is the command that runs now. */
export function graphOf(plan: Plan, position: number, isOver: boolean): Graph {
  const nodes: GraphNode[] = [];
  for (let from = 0; from < plan.commands.length;) {
    const commands = commandsOfStep(plan.commands, from);
    nodes.push(nodeOf(commands, position - from, isOver));
    from += commands.length;
  }
  const edges = nodes.slice(1).map((node, index) => ({ from: nodes[index]!.id, to: node.id }));
  return { nodes, edges };
}

function commandsOfStep(commands: readonly PlannedCommand[], from: number): readonly PlannedCommand[] {
  const { stepIndex } = commands[from]!;
  let to = from + 1;
  while (commands[to]?.stepIndex === stepIndex) to += 1;
  return commands.slice(from, to);
}

/** `endedCount` commands of the step have succeeded, and the next has been handed out; less than none: not its turn. */
function nodeOf(commands: readonly PlannedCommand[], endedCount: number, isOver: boolean): GraphNode {
  const [first] = commands;
  const jobs = commands.slice(0, Math.max(0, endedCount + 1)).map((command) => command.key);
  const unfinished = isOver ? "skipped" : "waiting";
  const progress = endedCount >= commands.length ? "done" : endedCount >= 0 ? "begun" : unfinished;
  return { id: String(first!.stepIndex), name: first!.stepName, parent: null, progress, jobs };
}
