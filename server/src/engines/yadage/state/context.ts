import type { EngineRun, Evaluate, Restart } from "#engines/engine";
import type { Body, Model, Packtivity, Stage, Workflow } from "#engines/yadage/model";
import { StageError } from "#engines/yadage/state/stage-error";
import type { Draft, Node, Rule } from "#engines/yadage/state/state";
import { JQ_INPUT } from "#plumbing/jq/jq";
import type { Retries } from "#workflow/job/retries";
import type { Specification } from "#workflow/specification/specification";

/** Data derived from the input of a run. */
export interface YadageContext {
  readonly model: Model;
  /** All workflows of the model, the whole workflow first. The state refers to workflows by position. */
  readonly workflows: readonly Workflow[];
  readonly positions: ReadonlyMap<Workflow, number>;
  readonly run: EngineRun;
  readonly specification: Specification;
  readonly retries: Retries | undefined;
  /** Set if the run is a restart. */
  readonly restart: Restart | undefined;
  readonly evaluate: Evaluate;
}

export function workflowsIn(workflow: Workflow): Workflow[] {
  const nested = workflow.stages.flatMap(({ scheduler }) =>
    [scheduler.workflow, ...(scheduler.cases ?? []).map((one) => one.workflow)].filter(
      (one) => one !== undefined,
    ),
  );
  return [workflow, ...nested.flatMap(workflowsIn)];
}

/** Runs a jq program, and returns all results. */
export function jq({ evaluate }: YadageContext, program: string, input: unknown): unknown[] {
  const made = evaluate({ source: program, input: { [JQ_INPUT]: input } });
  if (made.ok) return made.value as unknown[];
  throw new StageError(`the jq program \`${shortened(program)}\` failed: ${made.reason}`);
}

/** Runs a jq program. Throws if the program has no result. */
export function jqOnce(context: YadageContext, program: string, input: unknown): unknown {
  const results = jq(context, program, input);
  if (results.length > 0) return results[0];
  throw new StageError(`the jq program \`${shortened(program)}\` has no result`);
}

function shortened(program: string): string {
  const line = program.trim().replaceAll(/\s+/g, " ");
  return line.length <= 80 ? line : `${line.slice(0, 79)}…`;
}

/** Returns the stage of a rule. Undefined for `init`. */
export function stageOf(
  { workflows }: YadageContext,
  draft: Draft,
  { scope, stage }: Rule,
): Stage | undefined {
  if (stage === null) return undefined;
  return workflows[draft.scope(scope).definition]!.stages[stage];
}

/** Returns the packtivity of a node; undefined for `init`. */
export function maybePacktivity(context: YadageContext, draft: Draft, node: Node): Packtivity | undefined {
  const body: Body | undefined = stageOf(context, draft, draft.rule(node.rule))?.scheduler;
  if (!body) return undefined;
  return node.case === null ? body.step : body.cases?.[node.case]?.step;
}
