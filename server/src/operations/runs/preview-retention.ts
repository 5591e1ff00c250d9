import { deletionTest, declaredIn } from "#operations/files/retention";
import { fullNameOf } from "#operations/full-name";
import type { RunServices } from "#operations/runs/services";
import { runsToDelete } from "#store/runs/old-runs";
import { oneDefinition, oneRun, type Run } from "#store/runs/runs";
import { otherRunsIn } from "#store/runs/run-results";
import { emailsOf } from "#store/users/users";
import { type ComingRule, comingRules } from "#store/workspaces/retention";
import type { Prunable } from "#workspace/remove/prune";

/** Something that the server is going to delete by itself. */
export interface Deletion {
  readonly dueAtMs: number;
  readonly runId: string;
  /** With the run number. */
  readonly runName: string;
  readonly ownerEmail: string;
  /** Pattern of a retention rule. Undefined if `--keep-runs` deletes the whole run. */
  readonly pattern: string | undefined;
  readonly files: number;
  readonly bytes: number;
}

export interface RetentionPreview {
  /** In order of due time. */
  readonly deletions: readonly Deletion[];
  /** True if there are more than were counted. */
  readonly hasMore: boolean;
}

/** Limit of each kind, because the files of each one are counted on the disk. */
const DELETIONS_MAX = 100;

type PreviewContext = Pick<RunServices, "db" | "workspaces" | "runSettings">;

/** Returns the deletions due until the given time by retention rules and `--keep-runs`. Deletes nothing. */
export async function previewRetention(context: PreviewContext, untilMs: number): Promise<RetentionPreview> {
  const { db } = context;
  const keepRunsMs = context.runSettings.keep?.runsMs;
  const max = DELETIONS_MAX + 1;
  const rules = await comingRules(db, untilMs, max);
  const runs =
    keepRunsMs === undefined ? [] : await runsToDelete(db, { endedBeforeMs: untilMs - keepRunsMs, max });
  const deletions: Deletion[] = [];
  for (const rule of rules.slice(0, DELETIONS_MAX)) deletions.push(await deletionByRule(context, rule));
  for (const run of runs.slice(0, DELETIONS_MAX))
    deletions.push(await deletionOfRun(context, run, keepRunsMs!));
  return {
    deletions: deletions.toSorted((one, other) => one.dueAtMs - other.dueAtMs),
    hasMore: rules.length === max || runs.length === max,
  };
}

async function deletionByRule({ db, workspaces }: PreviewContext, rule: ComingRule): Promise<Deletion> {
  const { pattern, dueAtMs } = rule;
  const kept = declaredIn((await oneDefinition(db, rule.runId)).specification);
  const workspace = workspaces.of(rule.workspaceId);
  const found = await workspace.prunable(await workspace.sparing(kept, deletionTest(pattern, kept)), 0);
  return { ...(await named(db, await oneRun(db, rule.runId), found)), pattern, dueAtMs };
}

const NO_FILES: Prunable = { files: [], totalFiles: 0, totalBytes: 0 };

/** Counts no files if another run keeps them. */
async function deletionOfRun(
  { db, workspaces }: PreviewContext,
  run: Run,
  keepRunsMs: number,
): Promise<Deletion> {
  const isLast = (await otherRunsIn(db, run)).every(({ status }) => status === "deleted");
  const found = isLast ? await workspaces.of(run.workspaceId).prunable(() => true, 0) : NO_FILES;
  const dueAtMs = (run.finishedAtMs ?? run.stoppedAtMs)! + keepRunsMs;
  return { ...(await named(db, run, found)), pattern: undefined, dueAtMs };
}

async function named(db: PreviewContext["db"], run: Run, { totalFiles, totalBytes }: Prunable) {
  const ownerEmail = (await emailsOf(db, [run.ownerId])).get(run.ownerId)!;
  return { runId: run.id, runName: fullNameOf(run), ownerEmail, files: totalFiles, bytes: totalBytes };
}
