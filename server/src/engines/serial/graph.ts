import type { Graph, GraphNode } from "#engines/engine";
import type { Plan, PlannedCommand } from "#engines/serial/plan";

interface PlanProgress {
  /** Position of the command that is running; -1 before the first one. */
  readonly position: number;
  readonly isOver: boolean;
  /** Whether a command has no job, because a restart was asked to start after it. */
  readonly isLeftOut: (position: number) => boolean;
}

/** Returns a chain of nodes, one for each step that runs. */
export function graphOf(plan: Plan, at: PlanProgress): Graph {
  const nodes: GraphNode[] = [];
  for (let from = 0; from < plan.commands.length;) {
    const commands = commandsOfStep(plan.commands, from);
    nodes.push(nodeOf(commands, from, at));
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

function nodeOf(commands: readonly PlannedCommand[], from: number, at: PlanProgress): GraphNode {
  const [first] = commands;
  // This many have succeeded, and the next has been submitted. If negative, it is not the step's turn yet.
  const endedCount = at.position - from;
  const begun = commands.slice(0, Math.max(0, endedCount + 1));
  const jobs = begun.filter((_, index) => !at.isLeftOut(from + index)).map((command) => command.key);
  const unfinished = at.isOver ? "skipped" : "waiting";
  const progress = endedCount >= commands.length ? "done" : endedCount >= 0 ? "begun" : unfinished;
  return { id: String(first!.stepIndex), name: first!.stepName, parent: null, progress, jobs };
}
