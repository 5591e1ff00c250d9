import type { JobRecord } from "#store/jobs/jobs";
import type { GraphNode } from "#workflow/graph";

/** A step of a run, or a workflow within the workflow, with the jobs that it had. */
export interface RunStep {
  readonly id: string;
  readonly name: string;
  readonly parent: string | null;
  /** Ids of the actions of its own jobs, in the order of submission. */
  readonly actions: string[];
  /** The first distinct commands of the jobs. */
  readonly commands: Set<string>;
  readonly children: RunStep[];
  startedAtMs: number;
  endedAtMs: number;
  hasFailed: boolean;
}

const COMMANDS_MAX = 20;

/** The steps of a run that had jobs, as a tree: a crate describes what ran, and no step that was skipped. */
export class RunSteps {
  readonly #nodes: ReadonlyMap<string, Pick<GraphNode, "id" | "name" | "parent">>;
  readonly #steps = new Map<string, RunStep>();
  readonly top: RunStep[] = [];

  constructor(nodes: readonly Pick<GraphNode, "id" | "name" | "parent">[]) {
    this.#nodes = new Map(nodes.map((node) => [node.id, node]));
  }

  add(job: Pick<JobRecord, "node" | "name" | "status">, action: JobAction): void {
    const step = this.#step(job.node, job.name);
    step.actions.push(action.id);
    if (step.commands.size < COMMANDS_MAX) step.commands.add(action.command);
    for (let one: RunStep | undefined = step; one; one = this.#steps.get(one.parent ?? "")) {
      one.startedAtMs = Math.min(one.startedAtMs, action.startedAtMs);
      one.endedAtMs = Math.max(one.endedAtMs, action.endedAtMs);
      one.hasFailed ||= job.status !== "finished";
    }
  }

  #step(id: string, name: string): RunStep {
    const known = this.#steps.get(id);
    if (known) return known;
    const node = this.#nodes.get(id);
    const step: RunStep = {
      id,
      name: node?.name || name || id,
      parent: node?.parent ?? null,
      actions: [],
      commands: new Set(),
      children: [],
      startedAtMs: Infinity,
      endedAtMs: 0,
      hasFailed: false,
    };
    this.#steps.set(id, step);
    const siblings = step.parent === null ? this.top : this.#step(step.parent, step.parent).children;
    siblings.push(step);
    return step;
  }
}

/** Facts about a job for the description of its step. */
export interface JobAction {
  readonly id: string;
  readonly command: string;
  readonly startedAtMs: number;
  readonly endedAtMs: number;
}
