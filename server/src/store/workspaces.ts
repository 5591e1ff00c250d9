import { locked } from "#store/adapter";
import type { Connection } from "#store/database";
import { forgetJobTraces } from "#store/job-traces";
import { forgetUnusedSecrets } from "#store/secrets";

/** Whether the files of a workspace are gone, because its last run was deleted. */
export async function isWorkspaceRemoved(db: Connection, workspaceId: string): Promise<boolean> {
  const row = await db
    .selectFrom("workspaces")
    .select("removed_at")
    .where("id", "=", workspaceId)
    .executeTakeFirstOrThrow();
  return row.removed_at !== null;
}

/**
 * A workspace that is filled before its workflow is there. Should the server die in between, the row tells the next one
 * what to remove.
 */
export async function reserveWorkspace(
  db: Connection,
  workspace: { readonly id: string; readonly ownerId: string; readonly createdAtMs: number },
): Promise<void> {
  await db
    .insertInto("workspaces")
    .values({ id: workspace.id, owner_id: workspace.ownerId, created_at: workspace.createdAtMs })
    .execute();
}

/** Whoever comes to a workspace, or deletes in it on his own, waits here for another who does. Inside a transaction. */
export async function lockWorkspace(db: Connection, id: string): Promise<void> {
  await locked(db, db.selectFrom("workspaces").select("id").where("id", "=", id)).execute();
}

/** Whether a workflow has come to the workspace that was reserved for it. */
export async function isWorkspaceUsed(db: Connection, id: string): Promise<boolean> {
  const row = await db.selectFrom("workflows").select("id").where("workspace_id", "=", id).executeTakeFirst();
  return row !== undefined;
}

/** Whether a run that is not deleted has its files there. */
export async function isWorkspaceKept(db: Connection, id: string): Promise<boolean> {
  const row = await db
    .selectFrom("workflows")
    .select("id")
    .where("workspace_id", "=", id)
    .where("status", "!=", "deleted")
    .executeTakeFirst();
  return row !== undefined;
}

/** Forgets a workspace that no workflow came to use, once its files are gone. */
export async function forgetWorkspace(db: Connection, id: string): Promise<void> {
  await db.deleteFrom("workspaces").where("id", "=", id).execute();
}

/**
 * Whether all runs that share this workspace are deleted and its files are not removed yet. Of two who delete the last
 * two at the same time and then ask, the second waits for the first, because both move the totals of their owner.
 */
export async function mustRemoveWorkspace(db: Connection, workspaceId: string): Promise<boolean> {
  const row = await toRemove(db).where("workspaces.id", "=", workspaceId).executeTakeFirst();
  return row !== undefined;
}

/** At start, when none is being filled: those that were reserved and never used. */
export async function unusedWorkspaces(db: Connection): Promise<string[]> {
  const rows = await db
    .selectFrom("workspaces")
    .leftJoin("workflows", "workflows.workspace_id", "workspaces.id")
    .select("workspaces.id")
    .where("workflows.workspace_id", "is", null)
    .execute();
  return rows.map((row) => row.id);
}

/** Those whose runs are all deleted, and whose files are not removed yet. */
export async function workspacesToRemove(db: Connection): Promise<string[]> {
  const rows = await toRemove(db).execute();
  return rows.map((row) => row.id);
}

export async function markWorkspaceRemoved(db: Connection, workspaceId: string, atMs: number): Promise<void> {
  await forgetJobTraces(db, workspaceId);
  const { owner_id: ownerId } = await db
    .updateTable("workspaces")
    .set({ removed_at: atMs })
    .where("id", "=", workspaceId)
    .returning("owner_id")
    .executeTakeFirstOrThrow();
  await forgetUnusedSecrets(db, ownerId);
}

function toRemove(db: Connection) {
  return db
    .selectFrom("workflows")
    .innerJoin("workspaces", "workspaces.id", "workflows.workspace_id")
    .select("workspaces.id")
    .distinct()
    .where("workflows.status", "=", "deleted")
    .where("workspaces.removed_at", "is", null)
    .where((expression) =>
      expression.not(
        expression.exists(
          expression
            .selectFrom("workflows as kept")
            .select("kept.id")
            .whereRef("kept.workspace_id", "=", "workspaces.id")
            .where("kept.status", "!=", "deleted"),
        ),
      ),
    );
}
