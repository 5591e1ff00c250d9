import { locked } from "#store/database/adapter";
import type { Connection } from "#store/database/database";
import { forgetJobContents } from "#store/jobs/job-contents";
import { forgetJobStamps } from "#store/jobs/job-stamps";
import { forgetUnusedSecrets } from "#store/users/secrets";

/** Returns whether the files of a workspace are gone, because its last run was deleted. */
export async function isWorkspaceRemoved(db: Connection, workspaceId: string): Promise<boolean> {
  const row = await db
    .selectFrom("workspaces")
    .select("removed_at")
    .where("id", "=", workspaceId)
    .executeTakeFirstOrThrow();
  return row.removed_at !== null;
}

/**
 * Inserts a workspace that is filled before its run exists. If the server dies in between, the row tells the next
 * server what to remove.
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

/** Reserves a workspace, unless it was reserved before. */
export async function maybeReserveWorkspace(
  db: Connection,
  workspace: Parameters<typeof reserveWorkspace>[1],
): Promise<void> {
  const row = await db
    .selectFrom("workspaces")
    .select("id")
    .where("id", "=", workspace.id)
    .executeTakeFirst();
  if (!row) await reserveWorkspace(db, workspace);
}

/**
 * Lets one transaction at a time add a run to a workspace or delete its files by a rule. Call it inside a transaction.
 */
export async function lockWorkspace(db: Connection, id: string): Promise<void> {
  await locked(db, db.selectFrom("workspaces").select("id").where("id", "=", id)).execute();
}

/** Returns whether a run uses its reserved workspace. */
export async function isWorkspaceUsed(db: Connection, id: string): Promise<boolean> {
  const row = await db.selectFrom("runs").select("id").where("workspace_id", "=", id).executeTakeFirst();
  return row !== undefined;
}

/** Returns whether the workspace holds the files of a run not deleted. */
export async function isWorkspaceKept(db: Connection, id: string): Promise<boolean> {
  const row = await db
    .selectFrom("runs")
    .select("id")
    .where("workspace_id", "=", id)
    .where("status", "!=", "deleted")
    .executeTakeFirst();
  return row !== undefined;
}

/** Deletes the row of a workspace never used by a run. Must be called after the removal of the files. */
export async function forgetWorkspace(db: Connection, id: string): Promise<void> {
  await db.deleteFrom("workspaces").where("id", "=", id).execute();
}

/**
 * Returns whether all runs that share this workspace are deleted and its files are not removed yet. If two transactions
 * delete the last two runs at the same time, the second waits for the first, because both update the totals of their
 * owner.
 */
export async function mustRemoveWorkspace(db: Connection, workspaceId: string): Promise<boolean> {
  const row = await toRemove(db).where("workspaces.id", "=", workspaceId).executeTakeFirst();
  return row !== undefined;
}

/** Returns workspaces that were reserved and never used. Call it at start, when no workspace is being filled. */
export async function unusedWorkspaces(db: Connection): Promise<string[]> {
  const rows = await db
    .selectFrom("workspaces")
    .leftJoin("runs", "runs.workspace_id", "workspaces.id")
    .select("workspaces.id")
    .where("runs.workspace_id", "is", null)
    .execute();
  return rows.map((row) => row.id);
}

/** Returns workspaces with only deleted runs and files still to remove. */
export async function workspacesToRemove(db: Connection): Promise<string[]> {
  const rows = await toRemove(db).execute();
  return rows.map((row) => row.id);
}

export async function markWorkspaceRemoved(db: Connection, workspaceId: string, atMs: number): Promise<void> {
  await forgetJobStamps(db, workspaceId);
  await forgetJobContents(db, workspaceId);
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
    .selectFrom("runs")
    .innerJoin("workspaces", "workspaces.id", "runs.workspace_id")
    .select("workspaces.id")
    .distinct()
    .where("runs.status", "=", "deleted")
    .where("workspaces.removed_at", "is", null)
    .where((expression) =>
      expression.not(
        expression.exists(
          expression
            .selectFrom("runs as kept")
            .select("kept.id")
            .whereRef("kept.workspace_id", "=", "workspaces.id")
            .where("kept.status", "!=", "deleted"),
        ),
      ),
    );
}
