import type { Draft } from "#engines/cwl/flow/draft";
import { isSupplied } from "#engines/cwl/flow/gather";
import { finishedMarks } from "#engines/cwl/flow/graph";
import { type ProcessPlace, placeOf } from "#engines/cwl/flow/places";
import { shapeOf, widthOf } from "#engines/cwl/flow/scatter";
import {
  type Address,
  NEW_LEAF,
  type RunningStep,
  type Scope,
  startedStep,
  type StepState,
} from "#engines/cwl/flow/state";
import { gatheredInputs, stepOutputs, workflowOutputs } from "#engines/cwl/flow/step-values";
import { unreadFiles } from "#engines/cwl/flow/unread-files";
import { maybeStep, withStep } from "#engines/cwl/flow/tree";
import type { CwlModel, Workflow } from "#engines/cwl/model/model";
import { NO_FACTS } from "#engines/cwl/values/facts";
import { withItem } from "#engines/wide-list";

/** The steps of workflows. Starts each step once its inputs are available, and takes the outputs of its tasks. */
export class Steps {
  readonly #draft: Draft;
  readonly #model: CwlModel;

  /** Folder of the run's jobs, if the engine reports files not read by later jobs. */
  readonly #folder: string | undefined;

  constructor(draft: Draft, model: CwlModel, folder: string | undefined) {
    this.#draft = draft;
    this.#model = model;
    this.#folder = folder;
  }

  /** Starts all steps of a workflow with complete inputs. */
  enter(inputs: Readonly<Record<string, unknown>>, address: Address, place: ProcessPlace): void {
    const { steps } = place.process as Workflow;
    const waiting: StepState[] = steps.map(() => ({ kind: "waiting" }));
    this.#draft.setTask(address, { kind: "scope", inputs, steps: waiting, left: steps.length });
    this.#draft.log(`[workflow ${place.node === place.process.name ? "" : place.node}] start`);
    this.#startSteps(address, place);
  }

  #startSteps(address: Address, place: ProcessPlace): void {
    const workflow = place.process as Workflow;
    const scope = this.#draft.task(address) as Scope;
    if (scope.left === 0) return this.#complete(address, place, scope);
    workflow.steps.forEach((step, index) => {
      if (scope.steps[index]!.kind !== "waiting" || !isSupplied(step.inputs, workflow, scope)) return;
      this.#startStep([...address, index], workflow, scope);
    });
  }

  #startStep(address: Address, workflow: Workflow, scope: Scope): void {
    const step = workflow.steps[address.at(-1)!]!;
    const place = placeOf(this.#model, [...address, 0]);
    const what = `Step "${place.node}"`;
    const inputs = gatheredInputs(step, workflow, scope, what);
    const shape = shapeOf(step, inputs, what);
    const width = widthOf(shape);
    const running = startedStep(inputs, shape, width);
    this.#draft.change({ root: withStep(this.#draft.state.root, address, () => running) });
    if (this.#model.processes[step.run]!.kind === "tool" && width > 0) this.expect(width);
    this.#draft.log(`[step ${step.name}] start`);
    if (width === 0) this.#stepDone(address);
    else this.#draft.push(address);
  }

  /** Announces more jobs, or fewer if a condition leaves some out. */
  expect(more: number): void {
    const jobs = this.#draft.state.jobs + more;
    this.#draft.change({ jobs });
    this.#draft.instructions.push({ do: "expect", jobs });
  }

  /** Takes the next task of a step. Returns the address of the task. Undefined if the step has no further tasks. */
  maybeNext(address: Address): Address | undefined {
    const step = maybeStep(this.#draft.state.root, address);
    if (step?.kind !== "running" || step.next >= step.width) return undefined;
    const task = [...address, step.next];
    this.#draft.change({
      root: withStep(this.#draft.state.root, address, () => ({
        ...step,
        next: step.next + 1,
        tasks: withItem(step.tasks, step.next, NEW_LEAF),
      })),
    });
    if (step.next + 1 < step.width) this.#draft.push(address);
    return task;
  }

  /** Takes the outputs of a task, and completes the step or workflow around it. */
  leave(address: Address, outputs: Readonly<Record<string, unknown>>, isSkipped: boolean): void {
    if (address.length === 0) {
      const results = { values: outputs, facts: NO_FACTS, pending: 0, isPublishing: false };
      return this.#draft.change({ phase: "publishing", results });
    }
    const above = address.slice(0, -1);
    const index = address.at(-1)!;
    this.#draft.change({
      root: withStep(this.#draft.state.root, above, (state) => {
        const step = state as RunningStep;
        return {
          ...step,
          left: step.left - 1,
          skipped: step.skipped + (isSkipped ? 1 : 0),
          // JSON has no undefined: a finished task is null.
          tasks: withItem(step.tasks, index, null as never),
          results: withItem(step.results, index, outputs),
        };
      }),
    });
    if ((maybeStep(this.#draft.state.root, above) as RunningStep).left === 0) this.#stepDone(above);
  }

  #stepDone(address: Address): void {
    const above = address.slice(0, -1);
    const outer = placeOf(this.#model, above);
    const workflow = outer.process as Workflow;
    const step = workflow.steps[address.at(-1)!]!;
    const running = maybeStep(this.#draft.state.root, address) as RunningStep;
    const outputs = stepOutputs(step, running);
    const wasSkipped = running.width > 0 && running.skipped === running.width;
    this.#draft.change({
      root: withStep(this.#draft.state.root, address, () => ({ kind: "done", outputs })),
    });
    this.#draft.instructions.push(...finishedMarks(this.#model, address, wasSkipped));
    if (wasSkipped) this.#draft.log(`[step ${step.name}] will be skipped`);
    else this.#draft.log(`[step ${step.name}] completed success`, step.name);
    const scope = this.#draft.task(above) as Scope;
    this.#draft.setTask(above, { ...scope, left: scope.left - 1 });
    this.#release(workflow, scope, address.at(-1)!);
    this.#startSteps(above, outer);
  }

  #release(workflow: Workflow, scope: Scope, last: number): void {
    if (this.#folder === undefined) return;
    const paths = unreadFiles(workflow, scope, last, this.#folder);
    if (paths.length > 0) this.#draft.instructions.push({ do: "release", paths });
  }

  /** Completes a workflow after all steps have ended. */
  #complete(address: Address, place: ProcessPlace, scope: Scope): void {
    const outputs = workflowOutputs(place, scope);
    this.#draft.log(`[workflow ${place.node === place.process.name ? "" : place.node}] completed success`);
    this.leave(address, outputs, false);
  }
}
