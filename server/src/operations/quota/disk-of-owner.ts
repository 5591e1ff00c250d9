import type { Connection } from "#store/database/database";
import { workspacesOfOwner, type WorkspaceState, workspaceStates } from "#store/workspaces/workspace-states";
import type { SizeWanted } from "#workspace/usage/kept-sizes";
import type { Workspaces } from "#workspace/workspaces";

/**
 * Disk space of workspaces: the same number in lists, quotas and `du`. The size of a workspace without a live run
 * and an open notebook is kept in memory: only the server changes it, and notices when it does.
 */

export interface OwnerFiles {
  readonly db: Connection;
  readonly workspaces: Pick<Workspaces, "maybeUsedBytesOfEach">;
}

/** Returns the total of all workspaces of a user, or undefined if they hold more than `maxEntries` entries. */
export async function maybeBytesOfOwner(
  context: OwnerFiles,
  ownerId: string,
  maxEntries: number,
): Promise<number | undefined> {
  const wanted = (await workspacesOfOwner(context.db, ownerId)).map(sizeWanted);
  const sizes = await context.workspaces.maybeUsedBytesOfEach(wanted, maxEntries);
  return sizes?.reduce((sum, bytes) => sum + bytes, 0);
}

/** Returns the size of each of these workspaces, or undefined if together they hold more than `maxEntries` entries. */
export async function maybeBytesById(
  context: OwnerFiles,
  ids: readonly string[],
  maxEntries: number,
): Promise<ReadonlyMap<string, number> | undefined> {
  const states = await workspaceStates(context.db, [...new Set(ids)]);
  const wanted = states.map(sizeWanted);
  const sizes = await context.workspaces.maybeUsedBytesOfEach(wanted, maxEntries);
  return sizes && new Map(states.map(({ id }, at) => [id, sizes[at]!]));
}

function sizeWanted(state: WorkspaceState): SizeWanted {
  const { id, isLive, hasNotebook, endedAtMs, notebookEndedAtMs } = state;
  const isStill = !isLive && !hasNotebook && endedAtMs !== null;
  return { id, state: isStill ? `${endedAtMs} ${notebookEndedAtMs}` : undefined };
}
