import type { Instruction } from "#engines/engine";
import type { YadageContext } from "#engines/yadage/state/context";
import type { Stage, Workflow } from "#engines/yadage/model";
import type { Draft } from "#engines/yadage/state/state";
import { escapePart } from "#plumbing/formats/json-pointer";
import type { Graph, GraphEdge, GraphNode } from "#workflow/graph";

/**
 * The picture of a run: a node for each stage, containing a node for each workflow made by the stage. The ids are
 * Yadage's own: `/map`, `/map/0`, `/map/0/fit`.
 */
export function staticGraph({ model }: YadageContext): Graph {
  return stagesAt("", null, model.workflow, model.initdata !== null);
}

/** Returns the id of a stage in the picture. */
export function stageId(draft: Draft, rule: number): string {
  const { scope, name } = draft.rule(rule);
  return idIn(draft.scope(scope).offset, name);
}

function idIn(offset: string, name: string): string {
  return `${offset}/${escapePart(name)}`;
}

/** Draws a nested workflow inside the node of its stage. */
export function drawnScope(offset: string, name: string, parent: string, workflow: Workflow): Instruction {
  const inside = stagesAt(offset, offset, workflow, true);
  const group: GraphNode = { id: offset, name, parent, jobs: null };
  return { do: "draw", nodes: [group, ...inside.nodes], edges: inside.edges };
}

function stagesAt(offset: string, parent: string | null, { stages }: Workflow, hasInit: boolean): Graph {
  const names = [...(hasInit ? ["init"] : []), ...stages.map(({ name }) => name)];
  const node = (name: string): GraphNode => ({ id: idIn(offset, name), name, parent, jobs: null });
  return {
    nodes: names.map(node),
    edges: stages.flatMap((stage) => edgesOf(offset, stage, new Set(names))),
  };
}

/** Edges from the dependencies that start with the name of a stage in the same scope. */
function edgesOf(offset: string, { name, dependencies }: Stage, names: ReadonlySet<string>): GraphEdge[] {
  const queries = dependencies.dependency_type === "jsonpath_ready" ? dependencies.expressions : [];
  const before = queries
    .map((query) => /^\$?\.?([A-Za-z_@][A-Za-z0-9_@-]*)/.exec(query)?.[1])
    .filter((other) => other !== undefined && names.has(other) && other !== name);
  return [...new Set(before)].map((other) => ({ from: idIn(offset, other!), to: idIn(offset, name) }));
}

export function mark(node: string, as: "finished" | "failed" | "skipped"): Instruction {
  return { do: "mark", node, as };
}
