import type { EngineInput, RunRequest } from "#engines/engine";
import { UNLIMITED } from "#engines/outstanding";
import type { Judgement } from "#engines/reuse";
import type { Caller } from "#operations/context";
import { keptSettings } from "#operations/runs/run-settings";
import type { RunServices } from "#operations/runs/services";
import { findRun } from "#operations/find-run";
import { maybeChangedAddresses } from "#operations/runs/start/changed-addresses";
import {
  type AgainVerb,
  checkedPlan,
  maybeRestartWarning,
  mustBeFree,
  type RestartInput,
} from "#operations/runs/start/restart-run";
import { shownCommand } from "#operations/watch/shown-command";
import { Refusal } from "#plumbing/errors";
import { answerAsk } from "#runner/files/answer-ask";
import { type BringFolder, ReusableElsewhere } from "#runner/files/reusable-elsewhere";
import { ReusableJobs } from "#runner/files/reusable-jobs";
import { OverlaidFiles } from "#runner/files/overlaid-files";
import { engineRun, restartOf } from "#runner/engine/engine-input";
import { rehearse } from "#runner/engine/rehearse";

import { maybeLastRunIn } from "#store/runs/restarts";
import type { Run } from "#store/runs/runs";
import { digestsIn } from "#workflow/capabilities";

export type { Judgement } from "#engines/reuse";

/** The decision on a job, with its command for people. */
interface PlannedJob extends Judgement {
  readonly shownCommand: string;
}

export interface PlannedRestart {
  readonly run: Run;
  /** Last run in the workspace, from which jobs are taken over. */
  readonly previous: Run | undefined;
  readonly jobs: readonly PlannedJob[];
  /**
   * True if the list of jobs is final. False if dependents of a rerun job are decided later, in the restart.
   */
  readonly isComplete: boolean;
  readonly warning: string | undefined;
}

type RestartPlanContext = Pick<
  RunServices,
  | "db"
  | "clock"
  | "engines"
  | "capabilities"
  | "workspaces"
  | "documents"
  | "runSettings"
  | "sideJobs"
  | "secrets"
  | "inputSource"
>;

/**
 * Reports the jobs to be taken over by a restart, and the reasons for running the rest. Applies the same
 * refusals as the restart, and changes nothing. The engine's own functions decide, as at the start of a run,
 * on the current files.
 */
export async function planRestart(
  context: RestartPlanContext,
  caller: Caller,
  input: RestartInput,
  { verb = "restarted", signal }: { readonly verb?: AgainVerb; readonly signal: AbortSignal },
): Promise<PlannedRestart> {
  const { db } = context;
  const run = await findRun(context, caller, input.address, "change");
  const { specification, parameters, options, fresh, fromStep, model } = await checkedPlan(
    context,
    run,
    input,
    verb,
  );
  await mustBeFree(db, run, verb);
  const previous = await maybeLastRunIn(db, run.workspaceId);
  const restart = await restartOf(db, { previous: previous?.id ?? null, fresh, fromStep });
  const request = {
    ...keptSettings(context.runSettings, { fresh }),
    specification,
    parameters,
    options,
    restart,
  };
  const { jobs, isComplete } = await plannedJobs(context, run, { ...request, model }, { verb, signal });
  const warnings = [
    verb === "restarted" ? maybeRestartWarning(run) : undefined,
    previous && (await maybeChangedAddresses(context, previous, specification.inputs, signal)),
  ];
  const warning = warnings.filter((one) => one !== undefined).join(" ");
  const { folder: workspaceFolder } = context.workspaces.of(run.workspaceId);
  const shown = jobs.map((job) => ({
    ...job,
    shownCommand: shownCommand(job.command, { workspaceFolder, key: job.key }),
  }));
  return { run, previous, jobs: shown, isComplete, warning: warning === "" ? undefined : warning };
}

interface PlannedJobs {
  readonly jobs: readonly Judgement[];
  readonly isComplete: boolean;
}
type PlanRequest = RunRequest & Pick<EngineInput, "model">;

async function plannedJobs(
  context: RestartPlanContext,
  run: Run,
  request: PlanRequest,
  how: { readonly verb: AgainVerb; readonly signal: AbortSignal },
): Promise<PlannedJobs> {
  const { type } = request.specification.workflow;
  const engine = context.engines.get(type);
  if (engine?.findsReusable) {
    const jobs = await rehearsed(context, run, request);
    return { jobs, isComplete: jobs.every(({ verdict }) => verdict === "taken-over") };
  }
  const again = engineRunOf(context, run);
  const dryRun = await engine?.runtime.questionsOf(run.ownerId).maybeDryRun({ ...request, run: again });
  if (!engine || !dryRun) return { jobs: await judge(context, run, request), isComplete: true };
  // A rerun has a copy of the files without the results, which a dry run would need.
  if (how.verb === "rerun") throw new Refusal("not-implemented", NO_PLAN_OF_RERUN);
  const { end, text } = await context.sideJobs.run(
    { ...dryRun, ownerId: run.ownerId, workspaceFolder: again.workspaceFolder },
    how.signal,
  );
  const result = await engine.runtime
    .questionsOf(run.ownerId)
    .readDryRun({ ...request, run: again }, { end, text });
  if ("problem" in result) throw new Refusal("conflict", result.problem);
  return result;
}

const NO_PLAN_OF_RERUN =
  "Snakemake decides what a rerun runs when it plans the run, in a copy of the files without the results. Each job " +
  "then tells its reason.";

/**
 * Returns the run as input for a planning engine. Lifts the limit on outstanding jobs, because jobs to be run
 * must not hold back the plan.
 */
function engineRunOf({ workspaces }: RestartPlanContext, run: Run): EngineInput["run"] {
  const { folder } = workspaces.of(run.workspaceId);
  return { ...engineRun(run, folder), ...UNLIMITED };
}

/** Drives the engine as the restart would, up to each job that would run. */
async function rehearsed(
  context: RestartPlanContext,
  run: Run,
  request: PlanRequest,
): Promise<readonly Judgement[]> {
  const { db, engines, workspaces, capabilities } = context;
  const { workspaceId } = run;
  const digestOf = digestsIn(capabilities.backends);
  const workspace = workspaces.of(workspaceId);
  const { signal } = new AbortController();
  // Files to be copied from other workspaces by the restart are read in place.
  const overlay = new OverlaidFiles(workspace.forRun(signal));
  const { files } = overlay;
  const bring: BringFolder = async ({ workspaceId: other, from, to }) =>
    overlay.show(to, { files: workspaces.of(other).forRun(signal), folder: from });
  const elsewhere = new ReusableElsewhere({ db, workspaces, run, files, signal, bring });
  const done = new ReusableJobs(db, files, { runId: "", imageDigestOf: digestOf, elsewhere });
  const session = await engines
    .get(request.specification.workflow.type)!
    .runtime.open({ ...request, run: engineRunOf(context, run) }, { ownerId: run.ownerId });
  try {
    const { judged } = await rehearse(session, async (ask) =>
      ask.do === "find-done" ? (await done.find(workspaceId, ask)).event : answerAsk(files, ask, digestOf),
    );
    return judged;
  } finally {
    await session.close();
  }
}

async function judge(
  { engines, workspaces, capabilities }: RestartPlanContext,
  { workspaceId, ownerId }: Run,
  input: RunRequest,
): Promise<readonly Judgement[]> {
  const { type } = input.specification.workflow;
  const questions = engines.get(type)?.runtime.questionsOf(ownerId);
  const ask = await questions?.maybeReuseAsk(input);
  if (!questions || !ask)
    throw new Refusal("not-implemented", `A restart of a ${type} workflow reuses nothing: everything runs.`);
  const files = workspaces.of(workspaceId).forRun(new AbortController().signal);
  const answer = await answerAsk(files, ask, digestsIn(capabilities.backends));
  return questions.judge(input, answer.kind === "stamped" ? answer : undefined);
}
