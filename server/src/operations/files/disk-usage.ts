import type { Caller, Operations } from "#operations/context";
import { findWorkspace } from "#operations/files/find-workspace";
import type { Run } from "#store/runs/runs";
import { workspacesOfOwner, type WorkspaceState, workspaceStates } from "#store/workspaces/workspace-states";
import type { Usage, UsageRequest } from "#workspace/usage/disk-usage";
import type { SizeWanted } from "#workspace/usage/kept-sizes";

/** Returns the disk space that the files of a workspace take. */
export async function diskUsage(
  context: Pick<Operations, "db" | "clock" | "workspaces">,
  caller: Caller,
  { address, ...request }: UsageRequest & { readonly address: string },
): Promise<{ readonly run: Run; readonly usage: readonly Usage[] }> {
  const run = await findWorkspace(context, caller, address, "see");
  return { run, usage: await context.workspaces.of(run.workspaceId).diskUsage(request) };
}

/**
 * Disk space of workspaces: the same number in lists, quotas and `du`. The size of a workspace without a live run is
 * kept in memory: only the server changes it, and notices when it does.
 */

type Context = Pick<Operations, "db" | "workspaces">;

/** Returns the total of all workspaces of a user, or undefined if they hold more than `maxEntries` entries. */
export async function maybeBytesOfOwner(
  context: Context,
  ownerId: string,
  maxEntries: number,
): Promise<number | undefined> {
  const wanted = (await workspacesOfOwner(context.db, ownerId)).map(sizeWanted);
  const sizes = await context.workspaces.maybeUsedBytesOfEach(wanted, maxEntries);
  return sizes?.reduce((sum, bytes) => sum + bytes, 0);
}

/** Returns the size of each of these workspaces, or undefined if together they hold more than `maxEntries` entries. */
export async function maybeBytesById(
  context: Context,
  ids: readonly string[],
  maxEntries: number,
): Promise<ReadonlyMap<string, number> | undefined> {
  const states = await workspaceStates(context.db, [...new Set(ids)]);
  const wanted = states.map(sizeWanted);
  const sizes = await context.workspaces.maybeUsedBytesOfEach(wanted, maxEntries);
  return sizes && new Map(states.map(({ id }, at) => [id, sizes[at]!]));
}

function sizeWanted({ id, isLive, endedAtMs }: WorkspaceState): SizeWanted {
  const isStill = !isLive && endedAtMs !== null;
  return { id, state: isStill ? String(endedAtMs) : undefined };
}
