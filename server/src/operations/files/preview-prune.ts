import type { Caller } from "#operations/context";
import type { FileServices } from "#operations/files/services";
import { keptPaths, type PruneInput, undeclared } from "#operations/files/change-files";
import { findWorkspace } from "#operations/files/find-workspace";
import { declaredIn, deletionTest } from "#operations/files/retention";
import { Refusal } from "#plumbing/errors";
import { oneDefinition, type Run } from "#store/runs/runs";
import { rulesOfRun } from "#store/workspaces/retention";
import type { Prunable } from "#workspace/remove/prune";

interface PreviewInput extends PruneInput {
  /** Id of a retention rule of the run. Optional: absent for a pruning on request. */
  readonly rule: string | undefined;
}

/** Limit on the names in one reply. The totals count all files. */
const NAMES_MAX = 1000;

/** Returns the files to be deleted by a pruning, or by a retention rule applied now. */
export async function previewPrune(
  context: Pick<FileServices, "db" | "clock" | "workspaces">,
  caller: Caller,
  { address, rule: ruleId, ...flags }: PreviewInput,
): Promise<{ readonly run: Run; readonly prunable: Prunable }> {
  const run = await findWorkspace(context, caller, address, "see");
  const { specification } = await oneDefinition(context.db, run.id);
  const rules = ruleId === undefined ? [] : await rulesOfRun(context.db, run.id);
  const rule = rules.find(({ id }) => id === ruleId);
  if (ruleId !== undefined && !rule) {
    throw new Refusal("absent", `The run has no retention rule ${ruleId}. Its retention_rules lists them.`);
  }
  const workspace = context.workspaces.of(run.workspaceId);
  const kept = rule ? declaredIn(specification) : keptPaths(specification, flags);
  const isMeant = await workspace.sparing(kept, rule ? deletionTest(rule.pattern, kept) : undeclared(kept));
  return { run, prunable: await workspace.prunable(isMeant, NAMES_MAX) };
}
