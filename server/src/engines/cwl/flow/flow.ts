import path from "node:path";
import { describeFailure } from "#engines/describe-failure";
import { retried } from "#engines/serial/decisions";
import type { Answer, EngineEvent, EngineRun, JobEnded, Restart, Step } from "#engines/engine";
import { jobFolder } from "#engines/job-folder";
import { successCodes } from "#engines/cwl/command/build-job";
import { judgeDone } from "#engines/restart-decisions";
import { Draft, LOGGER } from "#engines/cwl/flow/draft";
import { whyItRuns } from "#engines/cwl/flow/from-step";
import { isSupplied } from "#engines/cwl/flow/gather";
import { gatheredInputs, stepOutputs, workflowOutputs } from "#engines/cwl/flow/step-values";
import { finishedMarks } from "#engines/cwl/flow/graph";
import { keyOf, maybeAddress, type Place, placeOf } from "#engines/cwl/flow/places";
import { publish } from "#engines/cwl/flow/publish";
import { maybeRetry } from "#engines/cwl/flow/retries";
import { begin, finish, type FlowContext, type Move } from "#engines/cwl/flow/run-task";
import { shapeOf, taskInputs, widthOf } from "#engines/cwl/flow/scatter";
import {
  type Address,
  type CwlState,
  type Leaf,
  type RunningStep,
  type Scope,
  startedStep,
  type StepState,
} from "#engines/cwl/flow/state";
import { maybeStep, maybeTask, withStep } from "#engines/cwl/flow/tree";
import { CwlFailure } from "#engines/cwl/expressions/evaluator";
import type { Tool, Workflow } from "#engines/cwl/model/model";
import { asksFor, NO_FACTS, type Needs, withAnswer } from "#engines/cwl/values/facts";
import { withItem } from "#engines/wide-list";
import type { Decision } from "#workflow/job/decision";
import { attemptOf, succeeded } from "#workflow/job/job";

export interface Options extends FlowContext {
  /** Whether outputs are put into the folder of results. Else they are returned where they lie. */
  readonly publishes: boolean;
  /** Present if the run is a restart. */
  readonly restart: Restart | undefined;
  /** Whether jobs of other runs may be taken over. */
  readonly reuseAcrossRuns: true | undefined;
}

/** Number of tasks that are worked on in one step. */
const TASKS_PER_STEP = 100;

type JobMove = Extract<Move, { kind: "job" }>;

const NEW_LEAF: Leaf = { kind: "leaf", facts: NO_FACTS, pending: 0 };

export function startFlow(options: Options): Step<CwlState> {
  const first: CwlState = {
    phase: "running",
    root: NEW_LEAF,
    ready: [[]],
    open: 0,
    ids: 0,
    asks: {},
    jobs: 0,
  };
  const flow = new Flow(options, first);
  for (const warning of options.model.warnings) flow.draft.log(LOGGER, `Warning: ${warning}`);
  return flow.guarded(() => flow.work());
}

export function applyToFlow(options: Options, state: CwlState, event: EngineEvent): Step<CwlState> {
  if (state.phase === "over") return { state, instructions: [] };
  const flow = new Flow(options, state);
  return flow.guarded(() => flow.take(event));
}

/** Returns the folder for copies of what other runs left. No step has a folder that starts with a dot. */
function takenFolder(run: EngineRun): string {
  return `${jobFolder("cwl", run, [])}/.taken`;
}

class Flow {
  readonly draft: Draft;
  readonly #options: Options;

  constructor(options: Options, state: CwlState) {
    this.#options = options;
    this.draft = new Draft(state, options.run.mostOutstanding);
  }

  /** Runs work. A failure of the workflow ends the run with its sentence. */
  guarded(work: () => void): Step<CwlState> {
    try {
      work();
    } catch (error) {
      if (!(error instanceof CwlFailure)) throw error;
      this.#fail(error.message);
    }
    return this.draft.step();
  }

  take(event: EngineEvent): void {
    if (event.kind === "job-ended") return this.#jobEnded(event);
    const open = this.draft.state.asks[event.id];
    if (!open) return;
    const { [event.id]: _, ...asks } = this.draft.state.asks;
    this.draft.change({ asks, open: this.draft.state.open - 1 });
    if (open.finds) this.#found(open.address!, event);
    else if (open.ask) this.#answered(open.address, open.ask, event);
    this.work();
  }

  /** Works until nothing more can be done now, or until this step has done enough. */
  work(): void {
    for (let count = 0; this.draft.state.phase === "running"; count += 1) {
      if (this.draft.free <= 0 || this.draft.state.ready.length === 0) break;
      if (count === TASKS_PER_STEP) return this.draft.goOn();
      const address = this.draft.pop()!;
      if (address.length % 2 === 1) this.#beginNext(address);
      else this.#proceed(address);
    }
    if (this.draft.state.phase === "publishing") publish(this.draft, this.#options);
  }

  #answered(address: Address | null, ask: Parameters<typeof withAnswer>[1], answer: Answer): void {
    if (answer.kind === "refused") throw new CwlFailure(this.#refusal(address, answer.reason));
    if (address === null) {
      const results = this.draft.state.results!;
      const facts = withAnswer(results.facts, ask, answer);
      return this.draft.change({ results: { ...results, facts, pending: results.pending - 1 } });
    }
    const leaf = this.draft.task(address) as Leaf;
    const pending = leaf.pending - 1;
    this.draft.setTask(address, { ...leaf, facts: withAnswer(leaf.facts, ask, answer), pending });
    if (pending === 0) this.draft.push(address);
  }

  #refusal(address: Address | null, reason: string): string {
    if (address === null) return `The outputs of the workflow cannot be published: ${reason}`;
    return `${placeOf(this.#options.model, address).what}: its files cannot be read: ${reason}`;
  }

  #jobEnded(event: JobEnded): void {
    const { model } = this.#options;
    const address = maybeAddress(model, event.key);
    const leaf = address && maybeTask(this.draft.state.root, address);
    if (!address || leaf?.kind !== "leaf" || !leaf.bound || leaf.ended) return;
    if (attemptOf(event) !== attemptOf(leaf)) return;
    this.draft.change({ open: this.draft.state.open - 1 });
    const place = placeOf(model, address);
    if (!succeeded(event.end)) {
      this.#jobFailed(event, address, place, leaf);
      return this.work();
    }
    const ended = { exitCode: event.end.exitCode, collected: event.collected ?? { isCut: false } };
    this.draft.setTask(address, { ...leaf, ended, facts: NO_FACTS });
    this.draft.push(address);
    this.work();
  }

  /** Tries a job again if it may be, or ends the run. */
  #jobFailed(event: JobEnded, address: Address, place: Place, leaf: Leaf): void {
    const sentence = describeFailure(place.what, event.end);
    const again = maybeRetry(this.#options, place, event.end, attemptOf(leaf));
    if (!again) return this.#fail(sentence, event.key);
    const { attempt, delayMs, most } = again;
    const line = `${sentence} It is retried (attempt ${attempt} of ${most + 1}), after ${delayMs / 1000} s.`;
    this.draft.log(LOGGER, line);
    const why = retried(event.end, sentence);
    this.draft.setTask(address, { ...NEW_LEAF, attempt, delayMs, why });
    this.draft.push(address);
  }

  #fail(reason: string, job?: string): void {
    this.draft.log(LOGGER, reason);
    this.draft.log(LOGGER, "Final process status is permanentFail");
    this.draft.end({ do: "fail", reason, ...(job !== undefined && { job }) });
  }

  /** Does what a task can do now. */
  #proceed(address: Address): void {
    const task = this.draft.task(address);
    if (task?.kind !== "leaf") return;
    const place = placeOf(this.#options.model, address);
    const move = task.ended
      ? finish(this.#options, place, task)
      : begin(this.#options, place, this.#givenTo(address, place), task);
    this.#make(move, address, place, task);
  }

  #givenTo(address: Address, { step }: Place): Readonly<Record<string, unknown>> {
    if (!step) return this.#options.model.job;
    const running = maybeStep(this.draft.state.root, address.slice(0, -1)) as RunningStep;
    return taskInputs(step, running.inputs, running.shape, address.at(-1)!);
  }

  #make(move: Move, address: Address, place: Place, leaf: Leaf): void {
    switch (move.kind) {
      case "needs":
        return this.#ask(move.needs, address, leaf);
      case "job":
        return this.#jobReady(move, address, leaf);
      case "scope":
        return this.#enter(move.inputs, address, place);
      case "skipped":
        return this.#leave(
          address,
          Object.fromEntries(place.step!.outputs.map((name) => [name, null])),
          true,
        );
      case "done":
        return this.#leave(address, move.outputs, false);
    }
  }

  #ask(needs: Needs, address: Address, leaf: Leaf): void {
    const name = keyOf(placeOf(this.#options.model, address));
    const asks = asksFor(needs, (number) => this.draft.nextId(name, number));
    const pending = this.draft.ask(address, asks);
    this.draft.setTask(address, { ...leaf, pending });
  }

  /** Submits a job. If earlier runs count, a job of theirs that did the same is looked for first. */
  #jobReady(move: JobMove, address: Address, leaf: Leaf): void {
    const { model, run, restart, reuseAcrossRuns } = this.#options;
    if (leaf.attempt) return this.#submit(move, address, leaf, leaf.why);
    const { key, contents, backend } = move.job;
    const why = restart && whyItRuns(model, restart, { names: placeOf(model, address).names, contents });
    const isSought = restart !== undefined || reuseAcrossRuns === true;
    if (why || !contents || !isSought) return this.#submit(move, address, leaf, why);
    this.draft.setTask(address, { ...leaf, pending: 1 });
    const into = reuseAcrossRuns && takenFolder(run);
    this.draft.find(address, { key, contents, ...(backend && { backend }), ...(into && { into }) });
  }

  #submit({ job, bound }: JobMove, address: Address, leaf: Leaf, why?: Decision): void {
    this.draft.setTask(address, { ...leaf, facts: NO_FACTS, bound });
    if (address.length === 0 && leaf.attempt === undefined) this.#expect(1);
    this.draft.change({ open: this.draft.state.open + 1 });
    const { attempt, delayMs = 0 } = leaf;
    const again = attempt === undefined ? job : { ...job, attempt, ...(delayMs > 0 && { delayMs }) };
    this.draft.instructions.push({ do: "submit", job: again, ...(why && { decision: why }) });
  }

  /** Takes over the job that was found, or submits the task's own. */
  #found(address: Address, answer: Answer): void {
    const leaf = { ...(this.draft.task(address) as Leaf), pending: 0 };
    const place = placeOf(this.#options.model, address);
    const found = answer.kind === "found-done" ? answer.found : null;
    const codes = successCodes(place.process as Tool);
    const judged = judgeDone(found, {
      key: keyOf(place),
      restart: this.#options.restart,
      succeeds: (code) => code !== null && codes.includes(code),
    });
    const given = this.#givenTo(address, place);
    if (!judged.taken)
      return this.#submit(
        begin(this.#options, place, given, leaf) as JobMove,
        address,
        leaf,
        judged.decision,
      );
    const { taken, decision } = judged;
    const folder = path.posix.dirname(taken.left.folder);
    const { job, bound } = begin(this.#options, place, given, { ...leaf, folder }) as JobMove;
    const { exitCode, collected } = taken.left;
    this.draft.setTask(address, { ...leaf, folder, facts: NO_FACTS, bound, ended: { exitCode, collected } });
    if (address.length === 0) this.#expect(1);
    const { from } = taken;
    this.draft.instructions.push({ do: "take-over", job, from, decision, stamps: null });
    this.draft.push(address);
  }

  /** Starts the steps of a workflow that have all they need. */
  #enter(inputs: Readonly<Record<string, unknown>>, address: Address, place: Place): void {
    const { steps } = place.process as Workflow;
    const waiting: StepState[] = steps.map(() => ({ kind: "waiting" }));
    this.draft.setTask(address, { kind: "scope", inputs, steps: waiting, left: steps.length });
    this.draft.log(LOGGER, `[workflow ${place.node === place.process.name ? "" : place.node}] start`);
    this.#startSteps(address, place);
  }

  #startSteps(address: Address, place: Place): void {
    const workflow = place.process as Workflow;
    const scope = this.draft.task(address) as Scope;
    if (scope.left === 0) return this.#complete(address, place, scope);
    workflow.steps.forEach((step, index) => {
      if (scope.steps[index]!.kind !== "waiting" || !isSupplied(step.inputs, workflow, scope)) return;
      this.#startStep([...address, index], workflow, scope);
    });
  }

  #startStep(address: Address, workflow: Workflow, scope: Scope): void {
    const step = workflow.steps[address.at(-1)!]!;
    const place = placeOf(this.#options.model, [...address, 0]);
    const what = `Step "${place.node}"`;
    const inputs = gatheredInputs(step, workflow, scope, what);
    const shape = shapeOf(step, inputs, what);
    const width = widthOf(shape);
    const running = startedStep(inputs, shape, width);
    this.draft.change({ root: withStep(this.draft.state.root, address, () => running) });
    if (this.#options.model.processes[step.run]!.kind === "tool" && width > 0) this.#expect(width);
    this.draft.log(LOGGER, `[step ${step.name}] start`);
    if (width === 0) this.#stepDone(address);
    else this.draft.push(address);
  }

  #expect(more: number): void {
    const jobs = this.draft.state.jobs + more;
    this.draft.change({ jobs });
    this.draft.instructions.push({ do: "expect", jobs });
  }

  /** Begins the next task of a step. */
  #beginNext(address: Address): void {
    const step = maybeStep(this.draft.state.root, address);
    if (step?.kind !== "running" || step.next >= step.width) return;
    const task = [...address, step.next];
    this.draft.change({
      root: withStep(this.draft.state.root, address, () => ({
        ...step,
        next: step.next + 1,
        tasks: withItem(step.tasks, step.next, NEW_LEAF),
      })),
    });
    if (step.next + 1 < step.width) this.draft.push(address);
    this.#proceed(task);
  }

  /** Takes the outputs of a task, and goes on with what they complete. */
  #leave(address: Address, outputs: Readonly<Record<string, unknown>>, isSkipped: boolean): void {
    if (address.length === 0) {
      const results = { values: outputs, facts: NO_FACTS, pending: 0, isPublishing: false };
      return this.draft.change({ phase: "publishing", results });
    }
    const above = address.slice(0, -1);
    const index = address.at(-1)!;
    this.draft.change({
      root: withStep(this.draft.state.root, above, (state) => {
        const step = state as RunningStep;
        return {
          ...step,
          left: step.left - 1,
          skipped: step.skipped + (isSkipped ? 1 : 0),
          // JSON has no undefined: a task that is over is null.
          tasks: withItem(step.tasks, index, null as never),
          results: withItem(step.results, index, outputs),
        };
      }),
    });
    if ((maybeStep(this.draft.state.root, above) as RunningStep).left === 0) this.#stepDone(above);
  }

  #stepDone(address: Address): void {
    const { model } = this.#options;
    const above = address.slice(0, -1);
    const outer = placeOf(model, above);
    const workflow = outer.process as Workflow;
    const step = workflow.steps[address.at(-1)!]!;
    const running = maybeStep(this.draft.state.root, address) as RunningStep;
    const outputs = stepOutputs(step, running);
    const wasSkipped = running.width > 0 && running.skipped === running.width;
    this.draft.change({ root: withStep(this.draft.state.root, address, () => ({ kind: "done", outputs })) });
    this.draft.instructions.push(...finishedMarks(model, address, wasSkipped));
    this.draft.log(
      step.name,
      wasSkipped ? `[step ${step.name}] will be skipped` : `[step ${step.name}] completed success`,
    );
    const scope = this.draft.task(above) as Scope;
    this.draft.setTask(above, { ...scope, left: scope.left - 1 });
    this.#startSteps(above, outer);
  }

  /** Returns the outputs of a workflow whose steps are all over. */
  #complete(address: Address, place: Place, scope: Scope): void {
    const outputs = workflowOutputs(place, scope);
    this.draft.log(
      LOGGER,
      `[workflow ${place.node === place.process.name ? "" : place.node}] completed success`,
    );
    this.#leave(address, outputs, false);
  }
}
