import type { Caller, Operations } from "#operations/context";
import { findWorkspace } from "#operations/files/find-workspace";
import { fullNameOf } from "#operations/full-name";
import { crashPoint } from "#plumbing/crash-points";
import { Refusal } from "#plumbing/errors";
import { maybeLiveRunIn } from "#store/restarts";
import { oneDefinition, type Run } from "#store/runs";
import { declaredPaths } from "#workflow/specification/declared-paths";
import { namedBy } from "#workspace/declared-files";

export interface PruneInput {
  /** UUID or name. */
  readonly address: string;
  readonly includeInputs: boolean;
  readonly includeOutputs: boolean;
}

/** Deletes everything in a workspace except the declared inputs and outputs. Flags of the input delete those too. */
export async function pruneWorkspace(
  context: Pick<Operations, "db" | "workspaces" | "disk">,
  caller: Caller,
  { address, includeInputs, includeOutputs }: PruneInput,
): Promise<Run> {
  const run = await findWorkspace(context.db, caller, address, "change");
  const mayGoOn = async () => {
    const live = await maybeLiveRunIn(context.db, run.workspaceId);
    if (live) throw goesOn(run, live);
  };
  await mayGoOn();
  context.disk.ensureRoom();
  const { inputs, outputs } = declaredPaths((await oneDefinition(context.db, run.id)).specification);
  const isKept = namedBy([...(includeInputs ? [] : inputs), ...(includeOutputs ? [] : outputs)]);
  await context.workspaces.prune(run.workspaceId, (path) => !isKept(path), mayGoOn);
  crashPoint("workspace-pruned");
  return run;
}

/** Refusal while a run is live: it may be reading what would be deleted. */
function goesOn(run: Run, live: Run): Refusal {
  return new Refusal(
    "conflict",
    `The workspace of ${fullNameOf(run)} could not be pruned because ${fullNameOf(live)} is ${live.status} in it. ` +
      "Wait for its end, or stop it first.",
    { errorCode: "workspace-busy" },
  );
}
