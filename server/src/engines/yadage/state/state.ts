import { emptyList, itemAt, withItem, type WideList } from "#engines/wide-list";
import type { Decision } from "#workflow/job/decision";

/**
 * The state of a Yadage run. Scopes, stages and nodes are numbered in the order in which they appear, so a replay gives
 * each the same number. Lists are wide lists, because a scatter may have tens of thousands of nodes.
 */
export interface YadageState {
  readonly hasEnded: boolean;
  readonly scopes: WideList<Scope>;
  readonly rules: WideList<Rule>;
  readonly nodes: WideList<Node>;
  /** Stages whose condition has to be looked at. */
  readonly tries: Queue;
  /** Nodes that can continue. */
  readonly ready: Queue;
  /** The purpose of each ask, by its number. Null once it has been answered. */
  readonly asks: WideList<Task>;
  /** Number of asks and jobs that are outstanding. */
  readonly openCount: number;
  readonly making: Making | null;
  /** Stages that wait for something that is not known: they are looked at after every change. */
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
  /** Position of its definition among all workflows of the model. */
  readonly definition: number;
  /** The folder below which its nodes have theirs, relative to the workspace. */
  readonly folder: string;
  /** Words for the tasks of scattered stages around it, from the outside in. */
  readonly tasks: readonly string[];
  /** Folders of the nodes whose outputs its parameters use. */
  readonly initFolders: readonly string[];
  readonly init: Init | null;
  readonly rules: readonly number[];
  /** The stage that made this scope. */
  readonly maker: number | null;
  /** Number of stages that are not complete. */
  readonly left: number;
  readonly hasFailed: boolean;
  readonly values: Readonly<Record<string, unknown>>;
}

/** The parameters of a scope: its node `init` publishes them. */
export interface Init {
  readonly nodeName: string;
  readonly parameters: unknown;
  readonly parents: readonly number[];
  readonly discover: boolean;
  readonly relative: boolean;
}

/** A stage within its scope. */
export interface Rule {
  readonly scope: number;
  /** Position among the stages of its workflow. Null for `init`. */
  readonly stage: number | null;
  readonly name: string;
  readonly isApplied: boolean;
  /** Everything that it has added: the numbers of nodes, and of scopes as `-1 - number`. */
  readonly items: WideList<number>;
  /** Number of these that are not complete. */
  readonly left: number;
  readonly hasFailed: boolean;
  /** Stages to look at again once this one has been applied. */
  readonly waiters: readonly number[];
}

export type NodeStatus = "waiting" | "ready" | "working" | "success" | "failed";

export interface Node {
  readonly rule: number;
  readonly name: string;
  /** Words for the tasks of scattered stages that it belongs to, from the outside in: `task 7 (s07.txt)`. */
  readonly tasks: readonly string[];
  /** Position among the items of its stage. */
  readonly index: number;
  readonly parents: readonly number[];
  /** Nodes that wait for this one. */
  readonly children: readonly number[];
  /** Number of parents that have not succeeded yet. */
  readonly waits: number;
  readonly status: NodeStatus;
  readonly parameters: unknown;
  /** Position of the chosen case. */
  readonly case: number | null;
  /** True if a restart starts from its stage, or from one that it uses. */
  readonly runsAgain: boolean;
  /** The folder that it writes to, relative to the workspace. Null for `init`, which writes nothing. */
  readonly folder: string | null;
  /** Folders of its parents, in the order of their names: `{readdir0}`. */
  readonly readonly: readonly string[];
  /** The value that it has published, wrapped because null may be published too. */
  readonly result: { readonly value: unknown } | null;
  /** Stages to look at again once there is a result. */
  readonly waiters: readonly number[];
  /** The attempt of its job that is under way. Null if there is none. */
  readonly attempt: number | null;
  /** The known files among those that its publisher looks for. */
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
  /** Parameters that are the same for all, and lists of those that differ. */
  readonly sets: ParameterSets;
  readonly next: number;
}

/** The parameters of each node, by its number. They hold references to outputs. */
export type ParameterSets =
  | { readonly kind: "one"; readonly parameters: Readonly<Record<string, unknown>> }
  | {
      readonly kind: "zip" | "cartesian";
      readonly common: Readonly<Record<string, unknown>>;
      readonly keys: readonly string[];
      readonly lists: readonly (readonly unknown[])[];
    }
  | { readonly kind: "each"; readonly each: readonly unknown[] };

/** Numbers in the order in which they were added. Numbers that were taken stay, so that taking costs nothing. */
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
 * A state while one step changes it. Nothing is changed in place: lists that stay the same are shared with the state
 * before.
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

  /** Forgets an ask that has been answered. */
  closeAsk(number: number): void {
    const { asks, openCount } = this.state;
    this.set({ asks: withItem<Task | null>(asks, number, null) as WideList<Task>, openCount: openCount - 1 });
  }

  /** Takes the next number from a queue; undefined if it is empty. */
  take(queue: "tries" | "ready"): number | undefined {
    const { numbers, taken } = this.state[queue];
    if (taken >= numbers.length) return undefined;
    this.set({ [queue]: { numbers, taken: taken + 1 } });
    return itemAt(numbers, taken)!;
  }
}
