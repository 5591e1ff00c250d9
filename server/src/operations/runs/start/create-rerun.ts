import type { RunRequest, PreviousRun, Stamped } from "#engines/engine";
import type { Caller } from "#operations/context";
import type { RunServices } from "#operations/runs/services";
import { findRun } from "#operations/find-run";
import { fullNameOf } from "#operations/full-name";
import { changing, type Keyed } from "#operations/idempotency";
import { inReservedWorkspace } from "#operations/files/reserved-workspace";
import {
  checkedPlan,
  mustBeFree,
  mustBeOver,
  queueAgain,
  type RestartInput,
  type RestartPlan,
} from "#operations/runs/start/restart-run";
import type { StartedRun } from "#operations/runs/start/start-run";
import { crashPoint } from "#plumbing/crash-points";
import { Refusal } from "#plumbing/errors";
import { answerAsk } from "#runner/files/answer-ask";
import { restartOf } from "#runner/engine/engine-input";
import { bodyForCopies } from "#runner/files/job-contents-body";
import { movedEvidence } from "#runner/files/moved-evidence";
import type { Connection } from "#store/database/database";
import { copyJobContents } from "#store/jobs/job-contents";
import { insertRerun } from "#store/runs/reruns";
import { lockStatus, maybeLastRunIn } from "#store/runs/restarts";
import { insertRun, type Run } from "#store/runs/runs";
import { digestsIn } from "#workflow/capabilities";
import { declaredPaths } from "#workflow/specification/declared-paths";
import type { TreeCopy } from "#workspace/write/copy-tree";
import { namedBy } from "#plumbing/text/named-by";

type RerunContext = Pick<
  RunServices,
  | "db"
  | "clock"
  | "random"
  | "engines"
  | "capabilities"
  | "workspaces"
  | "documents"
  | "quotas"
  | "runSettings"
> &
  Keyed;

/** The parts for a rerun, without the request. */
export interface RerunExtras {
  /** Returns whether a file of the workspace is left out besides the files that are made again. */
  readonly isLeftOut?: (path: string) => boolean;
  /** True if a folder without files is left out: a step of the earlier run may have made the folder. */
  readonly leavesOutEmptyFolders?: boolean;
  /** True if the copy keeps the files that jobs of the earlier run have made, because other work reads them. */
  readonly keepsResults?: boolean;
  /** Records more in the transaction that inserts the run. */
  readonly recordMore?: (db: Connection, run: Run) => Promise<void>;
}

/** Source workspace of a copy, and the known facts about the workspace. */
interface Source {
  readonly base: Run;
  /** Last run in the workspace, to which the files belong. */
  readonly last: Run | undefined;
  readonly previous: PreviousRun | null;
  readonly stamped: Stamped | undefined;
  readonly isLeftOut: (path: string) => boolean;
}

/**
 * Runs an ended run again, as `w.2` after `w.1`, in a workspace of its own. The workspace is a copy without the files
 * left by commands that run again. The rerun takes over what a restart would. The transaction that inserts and queues
 * it comes last. A copy that was interrupted is removed, if need be by the next server.
 */
export async function createRerun(
  context: RerunContext,
  caller: Caller,
  input: RestartInput,
  signal: AbortSignal,
  extras: RerunExtras = {},
): Promise<StartedRun> {
  const { db, workspaces } = context;
  const base = await findRun(context, caller, input.address, "change");
  const plan = await checkedPlan(context, base, input, "rerun");
  await mustBeFree(db, base, "rerun");
  await context.quotas.refuseUsedUp(caller.id);
  const recorded = await inReservedWorkspace(context, caller, async (workspaceId) => {
    const source = await lookAtSource(context, base, plan, signal);
    const copy = await workspaces.copy(base.workspaceId, workspaceId, {
      isLeftOut: (path) =>
        (!extras.keepsResults && source.isLeftOut(path)) || extras.isLeftOut?.(path) === true,
      leavesOutEmptyFolders: extras.leavesOutEmptyFolders,
      signal,
    });
    crashPoint("workspace-copied");
    await workspaces.of(workspaceId).sync();
    return changing(context, async (connection) => {
      await mustBeSame(connection, source);
      const queued = await queueRerun(context, connection, { source, plan, copy, workspaceId });
      await extras.recordMore?.(connection, queued);
      return queued;
    });
  });
  crashPoint("rerun-recorded");
  return recorded;
}

async function lookAtSource(
  context: RerunContext,
  base: Run,
  plan: RestartPlan,
  signal: AbortSignal,
): Promise<Source> {
  const { db, workspaces, engines, capabilities } = context;
  const { workspaceId } = base;
  const last = await maybeLastRunIn(db, workspaceId);
  const { specification, parameters, options, fresh, fromStep } = plan;
  const restart = await restartOf(db, { previous: last?.id ?? null, fresh, fromStep });
  const input: RunRequest = { specification, parameters, options, restart };
  const questions = engines.get(specification.workflow.type)?.runtime.questionsOf(base.ownerId);
  const ask = await questions?.maybeReuseAsk(input);
  const digestOf = digestsIn(capabilities.backends);
  const answer = ask && (await answerAsk(workspaces.of(workspaceId).forRun(signal), ask, digestOf));
  const stamped = answer?.kind === "stamped" ? answer : undefined;
  const { made, perhapsMade } = (await questions?.leftovers(input, stamped)) ?? { made: [], perhapsMade: [] };
  const isMade = new Set(made);
  const mayBeMade = new Set(perhapsMade);
  const isKnown =
    made.length + perhapsMade.length > 0 || takesAllOver(ask && (await questions?.judge(input, stamped)));
  const isResult = resultTest(restart.previous);
  const isLeftOut = (path: string) =>
    isMade.has(path) || ((mayBeMade.has(path) || !isKnown) && isResult(path));
  return { base, last, previous: restart.previous, stamped, isLeftOut };
}

function takesAllOver(judged: readonly { readonly verdict: string }[] | undefined): boolean {
  return judged !== undefined && judged.every(({ verdict }) => verdict !== "runs");
}

/** Returns a test for files that the previous run declared as outputs and not as inputs. */
function resultTest(previous: PreviousRun | null): (path: string) => boolean {
  if (!previous) return () => false;
  const { inputs, outputs } = declaredPaths(previous.specification);
  const [isInput, isOutput] = [namedBy(inputs), namedBy(outputs)];
  return (path) => isOutput(path) && !isInput(path);
}

/** Refuses if another run started since the copy began: it may have written into the files that were copied. */
async function mustBeSame(db: Connection, { base, last }: Source): Promise<void> {
  mustBeOver({ ...base, status: await lockStatus(db, base.id) }, "rerun");
  await mustBeFree(db, base, "rerun");
  const lastNow = await maybeLastRunIn(db, base.workspaceId);
  if (lastNow?.id === last?.id) return;
  throw new Refusal(
    "conflict",
    `Workflow ${fullNameOf(base)} could not be rerun because ${fullNameOf(lastNow!)} ran in its workspace while it ` +
      "was copied. Nothing was kept of the copy. Try again.",
  );
}

interface NewRerun {
  readonly source: Source;
  readonly plan: RestartPlan;
  readonly copy: TreeCopy;
  readonly workspaceId: string;
}

async function queueRerun(
  context: RerunContext,
  db: Connection,
  { source, plan, copy, workspaceId }: NewRerun,
): Promise<Run> {
  const { base, last, previous } = source;
  const [id, atMs] = [context.random.uuid(), context.clock.now()];
  const { ownerId, name, launcherUrl } = base;
  const { specification } = plan;
  const language = specification.workflow.type;
  const run = { id, ownerId, workspaceId, name, launcherUrl, language, specification, createdAtMs: atMs };
  await insertRun(db, run);
  const evidence = previous && movedEvidence(previous, copy.stamps ?? {});
  const sourceWorkspaceId = base.workspaceId;
  await insertRerun(db, { runId: id, workspaceId, sourceWorkspaceId, previous: evidence });
  const pairs = copy.stamps ?? {};
  await copyJobContents(db, { from: sourceWorkspaceId, to: workspaceId }, (body) =>
    bodyForCopies(body, pairs),
  );
  return queueAgain(context, db, { id, plan, base, previous: last?.id ?? null, atMs });
}
