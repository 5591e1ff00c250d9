import { emptyList, itemAt, withItem, type WideList } from "#engines/wide-list";
import type { Decision } from "#workflow/job/decision";

/**
 * The state of a Yadage run. Scopes, stages and nodes are numbered in order of appearance, and get the same numbers in
 * a replay. Lists are wide lists, because a scatter may have tens of thousands of nodes.
 */
export interface YadageState {
  readonly hasEnded: boolean;
  readonly scopes: WideList<Scope>;
  readonly rules: WideList<Rule>;
  readonly nodes: WideList<Node>;
  /** FIFO queue of stages to check. */
  readonly tries: Queue;
  /** FIFO queue of nodes that can continue. */
  readonly ready: Queue;
  /** The purpose of each ask, by number. Null after the answer. */
  readonly asks: WideList<Task>;
  /** Number of outstanding asks and jobs. */
  readonly openCount: number;
  readonly making: Making | null;
  /** Stages that wait for an unspecified change: they are checked after every change. */
  readonly restless: readonly number[];
  /** True if the engine has asked to continue. */
  readonly isPaused: boolean;
  /** True if only the state is left to be written. */
  readonly isConcluding: boolean;
  readonly jobCount: number;
  /** The first failure, and the number of failures. */
  readonly failure: { readonly sentence: string; readonly job: string | null; readonly count: number } | null;
  /** Edges of the picture: `from>to`. */
  readonly edges: readonly string[];
}

/** The whole workflow, or a workflow inside a stage. */
export interface Scope {
  /** A JSON pointer: "" for the whole workflow, `/map/0`. */
  readonly offset: string;
  /** Position of the definition among all workflows of the model. */
  readonly definition: number;
  /** The parent folder of the nodes' folders, relative to the workspace. */
  readonly folder: string;
  /** Words for the tasks of surrounding scattered stages, from the outside in. */
  readonly tasks: readonly string[];
  /** Folders of the nodes whose outputs are used in the parameters. */
  readonly initFolders: readonly string[];
  readonly init: Init | null;
  readonly rules: readonly number[];
  /** The stage that made the scope. */
  readonly maker: number | null;
  /** Number of incomplete stages. */
  readonly left: number;
  readonly hasFailed: boolean;
  readonly values: Readonly<Record<string, unknown>>;
}

/** The parameters of a scope, published by the node `init`. */
export interface Init {
  readonly nodeName: string;
  readonly parameters: unknown;
  readonly parents: readonly number[];
  readonly discover: boolean;
  readonly relative: boolean;
}

/** A stage of a scope. */
export interface Rule {
  readonly scope: number;
  /** Position among the stages of the workflow. Null for `init`. */
  readonly stage: number | null;
  readonly name: string;
  readonly isApplied: boolean;
  /** All items added by the stage: numbers of nodes, and of scopes as `-1 - number`. */
  readonly items: WideList<number>;
  /** Number of incomplete items. */
  readonly left: number;
  readonly hasFailed: boolean;
  /** Stages to check again after this stage has been applied. */
  readonly waiters: readonly number[];
}

export type NodeStatus = "waiting" | "ready" | "working" | "success" | "failed";

export interface Node {
  readonly rule: number;
  readonly name: string;
  /** Words for the tasks of scattered stages around the node, from the outside in: `task 7 (s07.txt)`. */
  readonly tasks: readonly string[];
  /** Position among the items of the stage. */
  readonly index: number;
  readonly parents: readonly number[];
  /** Child nodes waiting for the result. */
  readonly children: readonly number[];
  /** Number of parents without success yet. */
  readonly waits: number;
  readonly status: NodeStatus;
  readonly parameters: unknown;
  /** Position of the chosen case. */
  readonly case: number | null;
  /** True if a restart starts from the stage of the node, or of an ancestor. */
  readonly runsAgain: boolean;
  /** The output folder, relative to the workspace. Null for `init`, which writes no files. */
  readonly folder: string | null;
  /** Folders of the parents, in the order of their names: `{readdir0}`. */
  readonly readonly: readonly string[];
  /** The published value, wrapped because the value may be null. */
  readonly result: { readonly value: unknown } | null;
  /** Stages to check again once the result exists. */
  readonly waiters: readonly number[];
  /** The current attempt of the node's job, or null. */
  readonly attempt: number | null;
  /** The known facts about the files needed by the publisher. */
  readonly facts: Facts | null;
}

/** The answers about files, by the text of the question. */
export interface Facts {
  readonly found: Readonly<Record<string, boolean>>;
  readonly globs: Readonly<Record<string, readonly string[]>>;
  readonly texts: Readonly<Record<string, string>>;
}

export const NO_FACTS: Facts = { found: {}, globs: {}, texts: {} };

/** The purpose of an ask. */
export type Task =
  | { readonly kind: "write"; readonly node: number; readonly why?: Decision }
  | { readonly kind: "find"; readonly node: number }
  | { readonly kind: "look"; readonly node: number; readonly paths: readonly string[] }
  | {
      readonly kind: "glob";
      readonly node: number;
      readonly pattern: string;
      readonly found: readonly string[];
    }
  | { readonly kind: "read"; readonly node: number; readonly path: string }
  | { readonly kind: "snapshot" }
  | { readonly kind: "pause" };

/** A stage whose nodes are being added, a part at a time. */
export interface Making {
  readonly rule: number;
  /** Parameters shared by all nodes, and lists of the differing parameters. */
  readonly sets: ParameterSets;
  readonly next: number;
}

/** The parameters of each node, by number. Values may contain references to outputs. */
export type ParameterSets =
  | { readonly kind: "one"; readonly parameters: Readonly<Record<string, unknown>> }
  | {
      readonly kind: "zip" | "cartesian";
      readonly common: Readonly<Record<string, unknown>>;
      readonly keys: readonly string[];
      readonly lists: readonly (readonly unknown[])[];
    }
  | { readonly kind: "each"; readonly each: readonly unknown[] };

/** FIFO queue. `taken` is the index of the head; dequeued entries are kept, so dequeuing is O(1). */
export interface Queue {
  readonly numbers: WideList<number>;
  readonly taken: number;
}

const EMPTY_QUEUE: Queue = { numbers: emptyList(), taken: 0 };

function added({ numbers, taken }: Queue, number: number): Queue {
  return { numbers: withItem(numbers, numbers.length, number), taken };
}

export const FIRST_STATE: YadageState = {
  hasEnded: false,
  scopes: emptyList(),
  rules: emptyList(),
  nodes: emptyList(),
  tries: EMPTY_QUEUE,
  ready: EMPTY_QUEUE,
  asks: emptyList(),
  openCount: 0,
  making: null,
  restless: [],
  isPaused: false,
  isConcluding: false,
  jobCount: 0,
  failure: null,
  edges: [],
};

/**
 * A mutable draft of the state for one step. Values are never modified in place: unchanged lists are shared with the
 * previous state.
 */
export class Draft {
  state: YadageState;

  constructor(state: YadageState) {
    this.state = state;
  }

  set(change: Partial<YadageState>): void {
    this.state = { ...this.state, ...change };
  }

  scope(number: number): Scope {
    return itemAt(this.state.scopes, number)!;
  }

  rule(number: number): Rule {
    return itemAt(this.state.rules, number)!;
  }

  node(number: number): Node {
    return itemAt(this.state.nodes, number)!;
  }

  changeScope(number: number, change: Partial<Scope>): void {
    this.set({ scopes: withItem(this.state.scopes, number, { ...this.scope(number), ...change }) });
  }

  changeRule(number: number, change: Partial<Rule>): void {
    this.set({ rules: withItem(this.state.rules, number, { ...this.rule(number), ...change }) });
  }

  changeNode(number: number, change: Partial<Node>): void {
    this.set({ nodes: withItem(this.state.nodes, number, { ...this.node(number), ...change }) });
  }

  addScope(scope: Scope): number {
    const number = this.state.scopes.length;
    this.set({ scopes: withItem(this.state.scopes, number, scope) });
    return number;
  }

  addRule(rule: Rule): number {
    const number = this.state.rules.length;
    this.set({ rules: withItem(this.state.rules, number, rule) });
    return number;
  }

  addNode(node: Node): number {
    const number = this.state.nodes.length;
    this.set({ nodes: withItem(this.state.nodes, number, node) });
    return number;
  }

  addItem(rule: number, item: number): void {
    const { items, left } = this.rule(rule);
    this.changeRule(rule, { items: withItem(items, items.length, item), left: left + 1 });
  }

  tryLater(rule: number): void {
    this.set({ tries: added(this.state.tries, rule) });
  }

  getReady(node: number): void {
    this.set({ ready: added(this.state.ready, node) });
  }

  addAsk(task: Task): number {
    const { asks, openCount } = this.state;
    this.set({ asks: withItem<Task>(asks, asks.length, task), openCount: openCount + 1 });
    return asks.length;
  }

  /** Deletes an answered ask. */
  closeAsk(number: number): void {
    const { asks, openCount } = this.state;
    this.set({ asks: withItem<Task | null>(asks, number, null) as WideList<Task>, openCount: openCount - 1 });
  }

  /** Takes the next number from a queue. Undefined if the queue is empty. */
  take(queue: "tries" | "ready"): number | undefined {
    const { numbers, taken } = this.state[queue];
    if (taken >= numbers.length) return undefined;
    this.set({ [queue]: { numbers, taken: taken + 1 } });
    return itemAt(numbers, taken)!;
  }
}
