import type { Step } from "#engines/engine";
import { completeRule } from "#engines/yadage/state/completion";
import { type YadageContext, jqOnce, stageOf } from "#engines/yadage/state/context";
import { conclude } from "#engines/yadage/flow/conclusion";
import { countOf, finalParameters, parametersAt, parameterSets, taskAt } from "#engines/yadage/stages/expand";
import type { Body, Stage } from "#engines/yadage/model";
import { addNode, foldersOf, wakeRestless } from "#engines/yadage/flow/nodes";
import { sortedKeys } from "#engines/yadage/steps/parameters";
import { isTrue, verdictOn } from "#engines/yadage/stages/predicates";
import { inStage, type Progress } from "#engines/yadage/state/progress";
import { addNestedScope } from "#engines/yadage/state/scopes";
import type { Draft, Node, YadageState } from "#engines/yadage/state/state";
import { StageError } from "#engines/yadage/state/stage-error";
import { startReady } from "#engines/yadage/flow/work";

/** Maximum number of stages and parts of stages handled in one step. After that, the engine asks to continue. */
const WORK_PER_STEP = 500;

/** Does all possible work: applies stages, starts nodes, and ends the run if no work is left. */
export function advance(progress: Progress): Step<YadageState> {
  progress.guarded(() => {
    const before = progress.draft.state.jobCount;
    let isDone = growAll(progress);
    // A node that only publishes is complete at once, and may make stages applicable.
    while (startReady(progress) && isDone) isDone = growAll(progress);
    const { jobCount } = progress.draft.state;
    if (jobCount !== before) progress.say({ do: "expect", jobs: jobCount });
    if (!isDone) pause(progress);
    else if (progress.isIdle()) conclude(progress);
  });
  return progress.step();
}

function pause(progress: Progress): void {
  const { draft } = progress;
  if (draft.state.isPaused || progress.isFull()) return;
  draft.set({ isPaused: true });
  progress.ask({ kind: "pause" }, (id) => ({ do: "go-on", id }));
}

/** Applies stages until no stage is applicable. Returns false if work is left for another step. */
function growAll(progress: Progress): boolean {
  const { draft } = progress;
  for (let work = 0; work < WORK_PER_STEP; work += 1) {
    if (draft.state.making) {
      makeNext(progress);
      continue;
    }
    const rule = draft.take("tries");
    if (rule === undefined) return true;
    tryRule(progress, rule);
  }
  return draft.state.making === null && draft.state.tries.taken >= draft.state.tries.numbers.length;
}

function tryRule(progress: Progress, number: number): void {
  const { context, draft } = progress;
  const rule = draft.rule(number);
  if (rule.isApplied) return;
  const stage = stageOf(context, draft, rule);
  if (!stage) return applyInit(progress, number);
  inStage(stage.name, () => {
    const verdict = verdictOn(draft, rule.scope, stage.dependencies);
    switch (verdict.kind) {
      case "applicable":
        return begin(progress, number, stage);
      case "result of":
        return draft.changeNode(verdict.node, { waiters: [...draft.node(verdict.node).waiters, number] });
      case "application of":
        return draft.changeRule(verdict.rule, { waiters: [...draft.rule(verdict.rule).waiters, number] });
      case "change":
        return draft.set({ restless: [...draft.state.restless, number] });
    }
  });
}

function applyInit(progress: Progress, number: number): void {
  const { draft } = progress;
  const { init, initFolders } = draft.scope(draft.rule(number).scope);
  const { nodeName: name, parameters, parents } = init!;
  addNode(progress, {
    rule: number,
    name,
    tasks: [],
    parents,
    parameters,
    case: null,
    folder: null,
    folders: initFolders,
  });
  finishRule(progress, number);
}

function begin({ context, draft }: Progress, number: number, { scheduler }: Stage): void {
  const sets = parameterSets(context, draft, draft.rule(number).scope, scheduler);
  draft.set({ making: { rule: number, sets, next: 0 } });
}

/** Adds the next node or workflow of the current stage. */
function makeNext(progress: Progress): void {
  const { context, draft } = progress;
  const { rule, sets, next } = draft.state.making!;
  const stage = stageOf(context, draft, draft.rule(rule))!;
  inStage(stage.name, () => {
    if (next < countOf(sets)) {
      const name = sets.kind === "one" ? stage.name : `${stage.name}_${next}`;
      const { values, parents } = finalParameters(context, draft, stage.scheduler, parametersAt(sets, next));
      const tasks = [...outerTasks(draft, rule), ...taskAt(draft, sets, next)];
      addOne(progress, { rule, name, tasks, values, parents }, stage.scheduler);
      draft.set({ making: { rule, sets, next: next + 1 } });
      return;
    }
    draft.set({ making: null });
    registerValues(progress, rule, stage);
    finishRule(progress, rule);
  });
}

function outerTasks(draft: Draft, rule: number): readonly string[] {
  return draft.scope(draft.rule(rule).scope).tasks;
}

interface Addition extends Pick<Node, "rule" | "name" | "tasks"> {
  readonly values: unknown;
  readonly parents: readonly number[];
}

function addOne(progress: Progress, addition: Addition, body: Body): void {
  const position = body.cases ? caseFor(progress.context, body, addition.values) : null;
  if (position === -1) return;
  const { step, workflow } = position === null ? body : body.cases![position]!;
  const { draft } = progress;
  const { rule, name, tasks, values: parameters, parents } = addition;
  const { folder: outer } = draft.scope(draft.rule(rule).scope);
  const folder = outer === "" ? name : `${outer}/${name}`;
  if (step) return addNode(progress, { rule, name, tasks, parents, parameters, case: position, folder });
  if (!workflow) throw new StageError("it has no step, workflow or cases");
  const { discover = false, relative = true } = body.workflow_opts ?? {};
  const init = { nodeName: `init_${name}`, parameters, parents, discover, relative };
  addNestedScope(progress, { rule, name, tasks, workflow, init, initFolders: foldersOf(draft, parents) });
}

/** Returns the position of the first case with a true condition, or -1. */
function caseFor(context: YadageContext, { cases = [] }: Body, parameters: unknown): number {
  return cases.findIndex((one) => isTrue(jqOnce(context, one.if, sortedKeys(parameters))));
}

function registerValues({ draft }: Progress, rule: number, { scheduler }: Stage): void {
  const { scope } = draft.rule(rule);
  const { values } = draft.scope(scope);
  const added = scheduler.register_values ?? {};
  const twice = Object.keys(added).find((key) => Object.hasOwn(values, key));
  if (twice !== undefined)
    throw new StageError(`it registers the value "${twice}", which is registered already`);
  if (Object.keys(added).length > 0) draft.changeScope(scope, { values: { ...values, ...added } });
}

/** A stage has been applied. */
function finishRule(progress: Progress, number: number): void {
  const { draft } = progress;
  const { waiters } = draft.rule(number);
  draft.changeRule(number, { isApplied: true, waiters: [] });
  for (const waiter of waiters) draft.tryLater(waiter);
  wakeRestless(draft);
  if (draft.rule(number).left === 0) completeRule(progress, number);
}
