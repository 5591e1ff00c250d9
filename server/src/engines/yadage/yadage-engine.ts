import type { Engine, EngineEvent, EngineInput, Evaluate, JobEndEvent, Step } from "#engines/engine";
import { itemAt } from "#engines/wide-list";
import { advance } from "#engines/yadage/flow/advance";
import { type YadageContext, workflowsIn } from "#engines/yadage/state/context";
import { takeAnswer, jobEnded } from "#engines/yadage/flow/events";
import { prepareYadage } from "#engines/yadage/load/prepare";
import { unannouncedStuck } from "#engines/yadage/load/stuck";
import { logLine } from "#engines/yadage/state/log";
import type { Model } from "#engines/yadage/model";
import { staticGraph } from "#engines/yadage/state/picture";
import { Progress } from "#engines/yadage/state/progress";
import { addRootScope } from "#engines/yadage/state/scopes";
import { maybeRuleAt } from "#engines/yadage/stages/select";
import { type Draft, FIRST_STATE, type YadageState } from "#engines/yadage/state/state";

/**
 * Yadage: stages with fulfilled conditions add steps and workflows to the growing run, and steps publish results for
 * later stages. Behaves like Yadage 0.20 in REANA (docs/guides/yadage.md lists the differences).
 */
export const yadageEngine: Engine<YadageState> = {
  language: "yadage",
  version: 4,
  /** Without documents, only problems of the specification itself can be found. */
  check(request) {
    const made = prepareYadage(request, {});
    return made.kind === "refused" ? made.problems : [];
  },
  prepare: prepareYadage,
  load(input, evaluate) {
    const context = contextOf(input, evaluate);
    return {
      start: () => start(context),
      apply: (state, event) => applyEvent(context, state, event),
      graph: () => staticGraph(context),
    };
  },
};

function contextOf({ model, ...input }: EngineInput, evaluate: Evaluate): YadageContext {
  const made = model as Model;
  const workflows = workflowsIn(made.workflow);
  const positions = new Map(workflows.map((workflow, index) => [workflow, index]));
  const { run, specification, retries, restart } = input;
  return { model: made, workflows, positions, run, specification, retries, restart, evaluate };
}

function start(context: YadageContext): Step<YadageState> {
  const progress = new Progress(context, FIRST_STATE);
  progress.say(logLine("yadage.creators", openingLine(context)));
  for (const line of context.model.textWarnings ?? [])
    progress.say(logLine("yadage", `Warning: ${line}`, "ERROR"));
  sayWhatIsStuck(progress);
  progress.guarded(() => addRootScope(progress));
  return advance(progress);
}

/** Lists the stages that can never become applicable. */
function sayWhatIsStuck(progress: Progress): void {
  const { model, specification } = progress.context;
  for (const { name, reason } of unannouncedStuck(specification, model)) {
    const line = `Stage "${name}" never becomes applicable: ${reason}. The run finishes without it.`;
    progress.say(logLine("yadage", line, "ERROR"));
  }
}

function openingLine({ model }: YadageContext): string {
  if (model.initdata === null) return "no initialization data";
  return (
    "initializing workflow with initdata: " +
    JSON.stringify(model.initdata) +
    " discover: True relative: True"
  );
}

function applyEvent(context: YadageContext, state: YadageState, event: EngineEvent): Step<YadageState> {
  const unchanged = { state, instructions: [] };
  if (state.hasEnded) return unchanged;
  const progress = new Progress(context, state);
  if (event.kind === "job-ended") {
    const node = maybeNodeOf(progress.draft, event);
    if (node === undefined) return unchanged;
    progress.guarded(() => jobEnded(progress, node, event));
  } else {
    const number = Number(/ ([0-9]+)$/.exec(event.id)?.[1] ?? -1);
    const task = number < 0 ? null : itemAt(state.asks, number);
    if (task === null || event.id !== `${task.kind} ${number}`) return unchanged;
    progress.draft.closeAsk(number);
    progress.guarded(() => takeAnswer(progress, task, event));
  }
  return advance(progress);
}

/** Returns the node of an ended job. Undefined if the attempt is not under way. */
function maybeNodeOf(draft: Draft, { key, attempt = 1 }: JobEndEvent): number | undefined {
  const [, stage = "", index = ""] = /^(.+):([0-9]+)$/.exec(key) ?? [];
  const rule = maybeRuleAt(draft, stage);
  const node = rule === undefined ? null : itemAt(draft.rule(rule).items, Number(index));
  return node !== null && node >= 0 && draft.node(node).attempt === attempt ? node : undefined;
}
