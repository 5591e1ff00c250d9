import type { EngineInput, RunRequest } from "#engines/engine";
import type { Judgement } from "#engines/reuse";
import type { Caller, Operations } from "#operations/context";
import { findRun } from "#operations/find-run";
import {
  type AgainVerb,
  checkedPlan,
  maybeRestartWarning,
  mustBeFree,
  type RestartInput,
} from "#operations/runs/start/restart-run";
import { Refusal } from "#plumbing/errors";
import { answerAsk } from "#runner/files/answer-ask";
import { type BringFolder, DoneElsewhere } from "#runner/files/done-elsewhere";
import { DoneJobs } from "#runner/files/done-jobs";
import { OverlaidFiles } from "#runner/files/overlaid-files";
import { engineRun, restartOf } from "#runner/engine/engine-input";
import { rehearse } from "#runner/engine/rehearse";
import { maybeLastRunIn } from "#store/runs/restarts";
import type { Run } from "#store/runs/runs";
import { digestsIn } from "#workflow/capabilities";

export type { Judgement } from "#engines/reuse";

export interface PlannedRestart {
  readonly run: Run;
  /** Last run in the workspace, from which jobs are taken over. */
  readonly previous: Run | undefined;
  readonly jobs: readonly Judgement[];
  /** Whether no other job can come. False if those that depend on a job that runs are decided when their turn comes. */
  readonly isComplete: boolean;
  readonly warning: string | undefined;
}

type Context = Pick<
  Operations,
  "db" | "clock" | "engines" | "capabilities" | "workspaces" | "documents" | "reuseAcrossRuns"
>;

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
  const reuses = context.reuseAcrossRuns && !fresh;
  const request = {
    specification,
    parameters,
    options,
    restart,
    ...(reuses && { reuseAcrossRuns: true as const }),
  };
  const decidesLater = context.engines.get(specification.workflow.type)?.findsDone === true;
  const jobs = decidesLater
    ? await rehearsed(context, run, { ...request, model })
    : await judge(context, run, request);
  const warning = verb === "restarted" ? maybeRestartWarning(run) : undefined;
  const isComplete = !decidesLater || jobs.every(({ verdict }) => verdict === "taken-over");
  return { run, previous, jobs, isComplete, warning };
}

/** Drives the engine as the restart would, up to each job that would run. */
async function rehearsed(
  context: Context,
  run: Run,
  request: RunRequest & Pick<EngineInput, "model">,
): Promise<readonly Judgement[]> {
  const { db, engines, workspaces, capabilities } = context;
  const { workspaceId } = run;
  const digestOf = digestsIn(capabilities.backends);
  const workspace = workspaces.of(workspaceId);
  const { signal } = new AbortController();
  // Files that the restart would copy from other workspaces are read where they are.
  const overlay = new OverlaidFiles(workspace.forRun(signal));
  const { files } = overlay;
  const bring: BringFolder = async ({ workspaceId: other, from, to }) =>
    overlay.show(to, { files: workspaces.of(other).forRun(signal), folder: from });
  const elsewhere = new DoneElsewhere({ db, workspaces, run, files, signal, bring });
  const done = new DoneJobs(db, files, { imageDigestOf: digestOf, elsewhere });
  // Jobs that would run stay outstanding. They must not keep the engine from the others.
  const again = { ...engineRun(run, workspace.folder), mostOutstanding: Number.MAX_SAFE_INTEGER };
  const session = await engines
    .get(request.specification.workflow.type)!
    .runtime.open({ ...request, run: again });
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
  { engines, workspaces, capabilities }: Context,
  { workspaceId }: Run,
  input: RunRequest,
): Promise<readonly Judgement[]> {
  const { type } = input.specification.workflow;
  const runtime = engines.get(type)?.runtime;
  const ask = await runtime?.maybeReuseAsk(input);
  if (type === "snakemake")
    throw new Refusal(
      "not-implemented",
      "Snakemake decides what a restart runs when it plans the run, and each job then tells its reason. To see it before, run snakemake --dry-run in a download of the workspace.",
    );
  if (!runtime || !ask)
    throw new Refusal("not-implemented", `A restart of a ${type} workflow reuses nothing: everything runs.`);
  const files = workspaces.of(workspaceId).forRun(new AbortController().signal);
  const answer = await answerAsk(files, ask, digestsIn(capabilities.backends));
  return runtime.judge(input, answer.kind === "stamped" ? answer : undefined);
}
