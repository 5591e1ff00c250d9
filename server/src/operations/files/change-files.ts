import type { Caller } from "#operations/context";
import type { FileServices } from "#operations/files/services";
import { findWorkspace } from "#operations/files/find-workspace";
import { fullNameOf } from "#operations/full-name";
import { crashPoint } from "#plumbing/crash-points";
import { Refusal } from "#plumbing/errors";
import { markExternalChange, maybeLiveRunIn } from "#store/runs/restarts";
import { oneDefinition, type Run } from "#store/runs/runs";
import { declaredPaths } from "#workflow/specification/declared-paths";
import type { Specification } from "#workflow/specification/specification";
import { namedBy } from "#plumbing/text/named-by";
import type { Deleted } from "#workspace/remove/delete-files";

export interface MoveInput {
  /** UUID or name of the run. */
  readonly address: string;
  readonly source: string | undefined;
  readonly target: string | undefined;
}

/** Moves files inside a workspace. */
export async function moveFiles(
  context: Pick<FileServices, "db" | "workspaces" | "clock">,
  caller: Caller,
  { address, source, target }: MoveInput,
): Promise<Run> {
  const run = await findWorkspace(context, caller, address, "change");
  if (!source || !target) {
    throw new Refusal("malformed", "Missing query parameters: give `source` and `target`.");
  }
  await markExternalChange(context.db, run.workspaceId, context.clock.now());
  await context.workspaces.of(run.workspaceId).moveFiles(source, target);
  return run;
}

/**
 * Deletes the files matching a path or a pattern. Returns the deleted and the remaining files. A pattern
 * without a match is not an error.
 */
export async function deleteFiles(
  context: Pick<FileServices, "db" | "workspaces" | "clock" | "disk">,
  caller: Caller,
  wanted: { readonly address: string; readonly fileName: string },
): Promise<Deleted> {
  const { workspaceId } = await findWorkspace(context, caller, wanted.address, "change");
  context.disk.ensureRoom();
  await markExternalChange(context.db, workspaceId, context.clock.now());
  return context.workspaces.of(workspaceId).deleteFiles(wanted.fileName);
}

export interface PruneInput {
  /** UUID or name. */
  readonly address: string;
  readonly includeInputs: boolean;
  readonly includeOutputs: boolean;
}

/** Deletes everything in a workspace except the declared inputs and outputs. Flags of the input delete those too. */
export async function pruneWorkspace(
  context: Pick<FileServices, "db" | "clock" | "workspaces" | "disk">,
  caller: Caller,
  { address, includeInputs, includeOutputs }: PruneInput,
): Promise<Run> {
  const run = await findWorkspace(context, caller, address, "change");
  const mayContinue = async () => {
    const live = await maybeLiveRunIn(context.db, run.workspaceId);
    if (live) throw stillLive(run, live);
  };
  await mayContinue();
  context.disk.ensureRoom();
  const { specification } = await oneDefinition(context.db, run.id);
  const workspace = context.workspaces.of(run.workspaceId);
  const kept = keptPaths(specification, { includeInputs, includeOutputs });
  await workspace.prune(await workspace.sparing(kept, undeclared(kept)), mayContinue);
  crashPoint("workspace-pruned");
  return run;
}

/** Returns the declared paths that a pruning keeps. */
export function keptPaths(
  specification: Specification,
  { includeInputs, includeOutputs }: Omit<PruneInput, "address">,
): readonly string[] {
  const { inputs, outputs } = declaredPaths(specification);
  return [...(includeInputs ? [] : inputs), ...(includeOutputs ? [] : outputs)];
}

/** Returns a predicate for the files that a pruning deletes. */
export function undeclared(kept: readonly string[]): (path: string) => boolean {
  const isKept = namedBy(kept);
  return (path) => !isKept(path);
}

/** Refusal while a run is live: the run may be reading files to be deleted. */
function stillLive(run: Run, live: Run): Refusal {
  return new Refusal(
    "conflict",
    `The workspace of ${fullNameOf(run)} could not be pruned because ${fullNameOf(live)} is ${live.status} in it. ` +
      "Wait for its end, or stop it first.",
    { errorCode: "workspace-busy" },
  );
}
