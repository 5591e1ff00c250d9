import type { Engine, EngineEvent, EngineInput, Evaluate, Step } from "#engines/engine";
import { advance } from "#engines/yadage/advance";
import { type Context, workflowsIn } from "#engines/yadage/context";
import { apply } from "#engines/yadage/events";
import { prepareYadage } from "#engines/yadage/load/prepare";
import { logLine } from "#engines/yadage/log";
import type { Model } from "#engines/yadage/model";
import { staticGraph } from "#engines/yadage/picture";
import { Progress } from "#engines/yadage/progress";
import { addRootScope } from "#engines/yadage/scopes";
import { FIRST_STATE, type YadageState } from "#engines/yadage/state";

/**
 * Yadage: stages whose conditions hold add steps and workflows to the run, which thereby grows, and steps publish what
 * later stages use. Behaves as Yadage 0.20 in REANA does (docs/guides/yadage.md says where it differs).
 */
export const yadageEngine: Engine<YadageState> = {
  language: "yadage",
  version: 1,
  check: () => [],
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

function contextOf({ model, run, retries }: EngineInput, evaluate: Evaluate): Context {
  const made = model as Model;
  const workflows = workflowsIn(made.workflow);
  const positions = new Map(workflows.map((workflow, index) => [workflow, index]));
  return { model: made, workflows, positions, run, retries, evaluate };
}

function start(context: Context): Step<YadageState> {
  const progress = new Progress(context, FIRST_STATE);
  progress.say(logLine("yadage.creators", openingLine(context)));
  progress.guarded(() => addRootScope(progress));
  return advance(progress);
}

function openingLine({ model }: Context): string {
  if (model.initdata === null) return "no initialization data";
  return (
    "initializing workflow with initdata: " +
    JSON.stringify(model.initdata) +
    " discover: True relative: True"
  );
}

function applyEvent(context: Context, state: YadageState, event: EngineEvent): Step<YadageState> {
  const name = event.kind === "job-ended" ? `${event.key} ${event.attempt ?? 1}` : event.id;
  const task = Object.hasOwn(state.open, name) ? state.open[name] : undefined;
  if (state.hasEnded || task === undefined) return { state, instructions: [] };
  const progress = new Progress(context, state);
  progress.close(name);
  progress.guarded(() => apply(progress, task, event));
  return advance(progress);
}
