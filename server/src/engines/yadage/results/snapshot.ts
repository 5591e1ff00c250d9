import type { Literal } from "#engines/engine";
import { itemsOf } from "#engines/wide-list";
import { type YadageContext, maybePacktivity, stageOf } from "#engines/yadage/state/context";
import type { Draft, Node } from "#engines/yadage/state/state";
import { scopeIndex } from "#engines/yadage/stages/select";
import { absolute, withFolder } from "#engines/yadage/state/places";
import { initPublisher } from "#engines/yadage/steps/publish";

/** The file in which Yadage saves the state of a run, for its own tools and for people. */
const FILE = "_yadage/yadage_snapshot_workflow.json";

/** Maximum number of nodes in a snapshot: the snapshot of a very wide run would be larger than the run's data. */
const NODES_MAX = 2000;

/**
 * Returns the state of the run in Yadage's format: the graph with the parameters and results of each node, the stages,
 * and the index. Undefined for a run of very many nodes. An engine has no clock, so all times are null.
 */
export function maybeSnapshot(context: YadageContext, draft: Draft): Literal | undefined {
  const nodes = itemsOf(draft.state.nodes).map((node) => node!);
  if (nodes.length > NODES_MAX) return undefined;
  const rules = itemsOf(draft.state.rules).map((rule, number) => ({ rule: rule!, number }));
  const stages = (isApplied: boolean) =>
    rules
      .filter(({ rule }) => rule.isApplied === isApplied)
      .map(({ number }) => stageEntry(context, draft, number));
  const snapshot = {
    dag: {
      nodes: nodes.map((node, number) => nodeEntry(context, draft, node, number)),
      edges: nodes.flatMap(({ parents }, number) =>
        parents.map((parent) => [String(parent), String(number)]),
      ),
    },
    rules: stages(false),
    applied: stages(true),
    stepsbystage: scopeIndex(draft, 0),
    values: registered(draft, 0),
  };
  const text = JSON.stringify(withFolder(snapshot, context.run.workspaceFolder));
  return { path: FILE, text };
}

function nodeEntry(context: YadageContext, draft: Draft, node: Node, number: number) {
  const { rule, index, name, parents, parameters, status, result } = node;
  const { scope, name: stage } = draft.rule(rule);
  const step = maybePacktivity(context, draft, node);
  return {
    id: String(number),
    name,
    task: {
      type: "packtivity_task",
      metadata: {
        name,
        wflow_node_id: String(number),
        wflow_offset: draft.scope(scope).offset,
        wflow_stage: stage,
        wflow_stage_node_idx: index,
        wflow_hints: { is_purepub: !step?.process && !step?.environment },
      },
      parameters,
      inputs: parents.map((parent) => ({ stepid: String(parent), pointer_path: "" })),
      spec: step ?? initSpec(draft, scope),
      state: stateEntry(node),
    },
    timestamps: { defined: null, submit: null, "ready by": null },
    state: STATES[status],
    proxy: null,
    result: result?.value ?? null,
  };
}

const STATES = {
  waiting: "DEFINED",
  ready: "DEFINED",
  working: "RUNNING",
  success: "SUCCESS",
  failed: "FAILED",
} as const satisfies Record<Node["status"], string>;

function initSpec(draft: Draft, scope: number) {
  const { discover, relative } = draft.scope(scope).init!;
  return { process: null, environment: null, publisher: initPublisher(discover, relative) };
}

function stateEntry({ name, folder, readonly }: Node) {
  return {
    state_type: "localfs",
    identifier: name,
    readwrite: folder === null ? [] : [{ path: absolute(folder), name: "workdir" }],
    readonly: readonly.map((path, index) => ({ path: absolute(path), name: `readdir${index}` })),
  };
}

function stageEntry(context: YadageContext, draft: Draft, number: number) {
  const rule = draft.rule(number);
  const { offset } = draft.scope(rule.scope);
  const stage = stageOf(context, draft, rule);
  const { name } = rule;
  const { dependencies = null } = stage ?? {};
  return { type: "offset", id: String(number), offset, rule: { type: "JsonStage", name, dependencies } };
}

/** Returns the registered values by scope, in Yadage's layout. */
function registered(draft: Draft, scope: number): Readonly<Record<string, unknown>> {
  const { values, rules } = draft.scope(scope);
  const inside = rules.flatMap((number): [string, unknown][] => {
    const { name, items } = draft.rule(number);
    const scopes = itemsOf(items).filter((item) => item! < 0);
    return scopes.length === 0 ? [] : [[name, scopes.map((item) => registered(draft, -1 - item!))]];
  });
  return { ...Object.fromEntries(inside), ...(Object.keys(values).length > 0 && { _values: values }) };
}
