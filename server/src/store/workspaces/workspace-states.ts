import { sql } from "kysely";
import type { Connection } from "#store/database/database";
import { LIVE_STATUSES } from "#workflow/run/run-status";

/** State that shows whether jobs or notebooks may have changed the files of a workspace since it was last scanned. */
export interface WorkspaceState {
  readonly id: string;
  /** True if any run in the workspace is live. */
  readonly isLive: boolean;
  /** True if any run in the workspace has an open notebook. */
  readonly hasNotebook: boolean;
  /**
   * End of the last run to end, or 0 if no run has ended. Null while the workspace is being filled, before
   * its first run exists.
   */
  readonly endedAtMs: number | null;
  /** End of the last notebook, or 0 if no notebook has ended. */
  readonly notebookEndedAtMs: number;
}

/** Returns a user's workspaces whose files have not been removed. */
export async function workspacesOfOwner(db: Connection, ownerId: string): Promise<WorkspaceState[]> {
  const rows = await states(db)
    .where("workspaces.owner_id", "=", ownerId)
    .where("workspaces.removed_at", "is", null)
    .execute();
  return rows.map(toState);
}

/** Ids per query. A statement can hold some tens of thousands of values. */
const IDS_AT_ONCE = 1000;

/** Returns the states of these workspaces, in no order. */
export async function workspaceStates(db: Connection, ids: readonly string[]): Promise<WorkspaceState[]> {
  const found: WorkspaceState[] = [];
  for (let at = 0; at < ids.length; at += IDS_AT_ONCE) {
    const part = ids.slice(at, at + IDS_AT_ONCE);
    found.push(...(await states(db).where("workspaces.id", "in", part).execute()).map(toState));
  }
  return found;
}

function states(db: Connection) {
  return db
    .selectFrom("workspaces")
    .leftJoin("runs", "runs.workspace_id", "workspaces.id")
    .leftJoin("notebooks", "notebooks.run_id", "runs.id")
    .leftJoin("ended_notebooks", "ended_notebooks.run_id", "runs.id")
    .select([
      "workspaces.id",
      sql<
        number | string
      >`sum(case when runs.status in (${sql.join([...LIVE_STATUSES])}) then 1 else 0 end)`.as("live"),
      sql<number | string | null>`max(case when runs.id is null then null
        else coalesce(runs.finished_at, runs.stopped_at, 0) end)`.as("ended_at"),
      sql<number | string>`count(notebooks.id)`.as("notebooks"),
      sql<number | string>`coalesce(max(ended_notebooks.ended_at), 0)`.as("notebook_ended_at"),
    ])
    .groupBy("workspaces.id");
}

function toState(row: {
  readonly id: string;
  readonly live: number | string;
  readonly ended_at: number | string | null;
  readonly notebooks: number | string;
  readonly notebook_ended_at: number | string;
}): WorkspaceState {
  return {
    id: row.id,
    isLive: Number(row.live) > 0,
    hasNotebook: Number(row.notebooks) > 0,
    endedAtMs: row.ended_at === null ? null : Number(row.ended_at),
    notebookEndedAtMs: Number(row.notebook_ended_at),
  };
}
