import type { EngineInput } from "#engines/engine";
import type { Judgement } from "#engines/reuse";
import type { Caller, Operations } from "#operations/context";
import { findWorkflow } from "#operations/find-workflow";
import {
  type AgainVerb,
  checkedPlan,
  maybeRestartWarning,
  mustBeFree,
  type RestartInput,
} from "#operations/runs/restart-workflow";
import { Refusal } from "#plumbing/errors";
import { answerAsk } from "#runner/answer-ask";
import { restartOf } from "#runner/engine-input";
import { maybeLastRunIn } from "#store/restarts";
import type { Workflow } from "#store/workflows";

export type { Judgement } from "#engines/reuse";

export interface PlannedRestart {
  readonly workflow: Workflow;
  /** Last run in the workspace, from which jobs are taken over. */
  readonly previous: Workflow | undefined;
  readonly jobs: readonly Judgement[];
  readonly warning: string | undefined;
}

type Context = Pick<Operations, "db" | "engines" | "capabilities" | "workspaces">;

/**
 * Reports what a restart would take over, and why the rest runs again. It refuses what the restart would refuse, and
 * changes nothing. The engine's own functions decide, as they do when the run starts, on the files as they are now.
 */
export async function planRestart(
  context: Context,
  caller: Caller,
  input: RestartInput,
  verb: AgainVerb = "restarted",
): Promise<PlannedRestart> {
  const { db } = context;
  const workflow = await findWorkflow(db, caller, input.address, "see");
  const { specification, parameters, options, fresh, fromStep } = await checkedPlan(
    context,
    workflow,
    input,
    verb,
  );
  await mustBeFree(db, workflow, verb);
  const previous = await maybeLastRunIn(db, workflow.workspaceId);
  const restart = await restartOf(db, { previous: previous?.id ?? null, fresh, fromStep });
  const jobs = await judge(context, workflow, { specification, parameters, options, restart });
  const warning = verb === "restarted" ? maybeRestartWarning(workflow) : undefined;
  return { workflow, previous, jobs, warning };
}

async function judge(
  { engines, workspaces }: Context,
  { workspaceId }: Workflow,
  input: EngineInput,
): Promise<readonly Judgement[]> {
  const { type } = input.specification.workflow;
  const reuse = engines.get(type)?.reuse;
  if (!reuse)
    throw new Refusal(
      "not-implemented",
      `A restart of a ${type} workflow takes nothing over: all of it runs.`,
    );
  const answer = await answerAsk({ workspaces, workspaceId }, reuse.ask(input));
  return reuse.judge(input, answer.kind === "traced" ? answer : undefined);
}
