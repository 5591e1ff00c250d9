import path from "node:path";
import { describeFailure } from "#engines/describe-failure";
import type { Answer, EngineEvent, EngineRun, JobEndEvent, RunRequest, Step } from "#engines/engine";
import { jobFolder } from "#engines/job-folder";
import { successCodes } from "#engines/cwl/command/build-job";
import { judgeReusable } from "#engines/contents-decisions";
import { Draft } from "#engines/cwl/flow/draft";
import { whyItRuns } from "#engines/cwl/flow/from-step";
import { keyOf, maybeAddress, type ProcessPlace, placeOf } from "#engines/cwl/flow/places";
import { maybePartialOutputs } from "#engines/cwl/flow/partial-outputs";
import { publish } from "#engines/cwl/flow/publish";
import { maybeRetry } from "#engines/cwl/flow/retries";
import { begin, collectTaskOutputs, type FlowContext, type Move } from "#engines/cwl/flow/run-task";
import { taskInputs } from "#engines/cwl/flow/scatter";
import { placeIn } from "#engines/cwl/flow/scattered-tasks";
import { type Address, type CwlState, type Leaf, NEW_LEAF, type RunningStep } from "#engines/cwl/flow/state";
import { Steps } from "#engines/cwl/flow/steps";
import { maybeStep, maybeTask } from "#engines/cwl/flow/tree";
import { CwlFailure } from "#engines/cwl/expressions/evaluator";
import type { Tool } from "#engines/cwl/model/model";
import { asksFor, NO_FACTS, type Needs, withAnswer } from "#engines/cwl/values/facts";
import { emptyList } from "#engines/wide-list";
import type { Decision } from "#workflow/job/decision";
import { attemptOf, succeeded } from "#workflow/job/job";

export interface Options extends FlowContext, Pick<RunRequest, "restart" | "reuseAcrossRuns"> {
  /** True if outputs are published into the folder of results. Otherwise outputs are returned in place. */
  readonly publishes: boolean;
  /** True if independent steps still run after a failure. */
  readonly finishesAfterFailure: boolean;
  /** True if the engine reports files not needed by later jobs. */
  readonly releasesFiles: boolean;
}

/** Maximum number of tasks processed in a step. */
const TASKS_PER_STEP = 100;

type JobMove = Extract<Move, { kind: "job" }>;

export function startFlow(options: Options): Step<CwlState> {
  const first: CwlState = {
    phase: "running",
    root: NEW_LEAF,
    ready: [[]],
    open: 0,
    ids: 0,
    asks: emptyList(),
    jobs: 0,
  };
  const flow = new Flow(options, first);
  for (const warning of options.model.warnings) flow.draft.log(`Warning: ${warning}`);
  return flow.guarded(() => flow.work());
}

export function applyToFlow(options: Options, state: CwlState, event: EngineEvent): Step<CwlState> {
  if (state.phase === "over") return { state, instructions: [] };
  const flow = new Flow(options, state);
  return flow.guarded(() => flow.take(event));
}

/** Returns the folder for copies of results of earlier runs. The leading dot prevents collisions with steps. */
function takenFolder(run: EngineRun): string {
  return `${jobFolder("cwl", run, [])}/.taken`;
}

class Flow {
  readonly draft: Draft;
  readonly #options: Options;
  readonly #steps: Steps;

  constructor(options: Options, state: CwlState) {
    this.#options = options;
    this.draft = new Draft(state, options.run);
    const { model, run, releasesFiles } = options;
    const folder = releasesFiles ? jobFolder("cwl", run, []) : undefined;
    this.#steps = new Steps(this.draft, model, folder);
  }

  /** Runs work. If the workflow fails, ends the run with the sentence of the failure. */
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
    const open = this.draft.maybeClosed(event.id);
    if (!open) return;
    if (open.finds) this.#found(open.address!, event);
    else if (open.ask) this.#answered(open.address, open.ask, event);
    this.work();
  }

  /** Works until no task can continue, or until the step has reached its limit. */
  work(): void {
    for (let count = 0; this.draft.state.phase === "running"; count += 1) {
      if (this.draft.free <= 0 || this.draft.state.ready.length === 0) break;
      if (count === TASKS_PER_STEP) return this.draft.goOn();
      const address = this.draft.pop()!;
      const task = address.length % 2 === 1 ? this.#steps.maybeNext(address) : address;
      if (task) this.#proceed(task);
    }
    const { phase, failure, open, ready } = this.draft.state;
    if (phase === "publishing") publish(this.draft, this.#options);
    if (phase === "running" && failure && open === 0 && ready.length === 0)
      this.#fail(failure.sentence, failure.job);
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
    return `${this.#placeOf(address).what}: its files cannot be read: ${reason}`;
  }

  #jobEnded(event: JobEndEvent): void {
    const { model } = this.#options;
    const address = maybeAddress(model, event.key);
    const leaf = address && maybeTask(this.draft.state.root, address);
    if (!address || leaf?.kind !== "leaf" || !leaf.bound || leaf.ended) return;
    if (attemptOf(event) !== attemptOf(leaf)) return;
    this.draft.change({ open: this.draft.state.open - 1 });
    const place = this.#placeOf(address);
    if (!succeeded(event.end)) {
      this.#jobFailed(event, address, place, leaf);
      return this.work();
    }
    const ended = { exitCode: event.end.exitCode, collected: event.collected ?? { isCut: false } };
    this.draft.setTask(address, { ...leaf, ended, facts: NO_FACTS });
    this.draft.push(address);
    this.work();
  }

  /** Retries a job if allowed, or ends the run. */
  #jobFailed(event: JobEndEvent, address: Address, place: ProcessPlace, leaf: Leaf): void {
    const sentence = describeFailure(place.what, event.end);
    const again = maybeRetry(this.#options, place, event.end, attemptOf(leaf), sentence);
    if (!again) return this.#failed(event, address, leaf, sentence);
    const { line, ...next } = again;
    this.draft.log(line);
    this.draft.setTask(address, { ...NEW_LEAF, ...next });
    this.draft.push(address);
  }

  /**
   * Handles the failure of a job. Either ends the run, or records the failure while independent steps continue. If the
   * run returns partial outputs, the outputs of the failed command are collected first.
   */
  #failed({ key: job, end, collected }: JobEndEvent, address: Address, leaf: Leaf, sentence: string): void {
    const failure = { sentence, job };
    if (this.#options.publishes) return this.#fail(sentence, job);
    if (this.#options.finishesAfterFailure && address.length > 0) {
      this.draft.log(sentence);
      return this.draft.change({ failure: this.draft.state.failure ?? failure });
    }
    const ended = { exitCode: end.exitCode, collected: collected ?? { isCut: false } };
    this.draft.setTask(address, { ...leaf, ended, failure, facts: NO_FACTS });
    this.draft.push(address);
  }

  #fail(reason: string, job?: string): void {
    this.draft.log(reason);
    this.draft.log("Final process status is permanentFail");
    const { publishes, model } = this.#options;
    const outputs = publishes ? undefined : maybePartialOutputs(model, this.draft.state);
    this.draft.end({ do: "fail", reason, ...(job !== undefined && { job }), ...(outputs && { outputs }) });
  }

  /** Advances a task as far as possible. */
  #proceed(address: Address): void {
    const task = this.draft.task(address);
    if (task?.kind !== "leaf") return;
    const place = this.#placeOf(address);
    const move = task.ended
      ? collectTaskOutputs(this.#options, place, task)
      : begin(this.#options, place, this.#givenTo(address, place), task);
    this.#make(move, address, place, task);
  }

  #placeOf(address: Address): ProcessPlace {
    return placeIn(this.#options.model, this.draft.state.root, address);
  }

  #givenTo(address: Address, { step }: ProcessPlace): Readonly<Record<string, unknown>> {
    if (!step) return this.#options.model.job;
    const running = maybeStep(this.draft.state.root, address.slice(0, -1)) as RunningStep;
    return taskInputs(step, running.inputs, running.shape, address.at(-1)!);
  }

  #make(move: Move, address: Address, place: ProcessPlace, leaf: Leaf): void {
    switch (move.kind) {
      case "needs":
        return this.#ask(move.needs, address, leaf);
      case "job":
        return this.#jobReady(move, address, leaf);
      case "scope":
        return this.#steps.enter(move.inputs, address, place);
      case "skipped":
        if (place.process.kind === "tool") this.#steps.expect(-1);
        return this.#steps.leave(
          address,
          Object.fromEntries(place.step!.outputs.map((name) => [name, null])),
          true,
        );
      case "done":
        this.#steps.leave(address, move.outputs, false);
        if (leaf.failure) this.#fail(leaf.failure.sentence, leaf.failure.job);
    }
  }

  #ask(needs: Needs, address: Address, leaf: Leaf): void {
    const name = keyOf(placeOf(this.#options.model, address));
    const asks = asksFor(needs, (number) => this.draft.nextId(name, number));
    const pending = this.draft.ask(address, asks);
    this.draft.setTask(address, { ...leaf, pending });
  }

  /** Submits a job. If earlier runs count, looks for an equal job of an earlier run first. */
  #jobReady(move: JobMove, address: Address, leaf: Leaf): void {
    const { model, run, restart, reuseAcrossRuns } = this.#options;
    if (leaf.attempt) return this.#submit(move, address, leaf, leaf.why);
    const { key, contents, backend } = move.job;
    const why = restart && whyItRuns(model, restart, { names: placeOf(model, address).names, contents });
    const isSought = restart !== undefined || reuseAcrossRuns === true;
    if (why || !contents || !isSought) return this.#submit(move, address, leaf, why);
    this.draft.setTask(address, { ...leaf, pending: 1 });
    const into = reuseAcrossRuns === true && takenFolder(run);
    this.draft.find(address, { key, contents, ...(backend && { backend }), ...(into && { into }) });
  }

  #submit({ job, bound }: JobMove, address: Address, leaf: Leaf, why?: Decision): void {
    this.draft.setTask(address, { ...leaf, facts: NO_FACTS, bound });
    if (address.length === 0 && leaf.attempt === undefined) this.#steps.expect(1);
    this.draft.change({ open: this.draft.state.open + 1 });
    const { attempt, delayMs = 0 } = leaf;
    const again = attempt === undefined ? job : { ...job, attempt, ...(delayMs > 0 && { delayMs }) };
    this.draft.instructions.push({ do: "submit", job: again, ...(why && { decision: why }) });
  }

  /** Takes over the found job, or submits the task's own job. */
  #found(address: Address, answer: Answer): void {
    const leaf = { ...(this.draft.task(address) as Leaf), pending: 0 };
    const place = this.#placeOf(address);
    const found = answer.kind === "found-done" ? answer.found : null;
    const codes = successCodes(place.process as Tool);
    const judged = judgeReusable(found, {
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
    if (address.length === 0) this.#steps.expect(1);
    const { from } = taken;
    this.draft.instructions.push({ do: "take-over", job, from, decision, stamps: null });
    this.draft.push(address);
  }
}
