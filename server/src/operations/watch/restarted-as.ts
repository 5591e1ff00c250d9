import type { Connection } from "#store/database/database";
import { newestRestarts } from "#store/runs/restarts";
import type { Run } from "#store/runs/runs";

/**
 * Returns a function that gives the newest restart that followed a run: the files of the workspace are of that run.
 * Undefined for the last run of a workspace.
 */
export async function restartsAfter(
  db: Connection,
  runs: readonly Run[],
): Promise<(run: Run) => Run | undefined> {
  const newest = await newestRestarts(
    db,
    runs.map(({ workspaceId }) => workspaceId),
  );
  return ({ workspaceId, runMinor }) => {
    const restart = newest.get(workspaceId);
    return restart && restart.runMinor > runMinor ? restart : undefined;
  };
}
