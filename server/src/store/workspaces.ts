import type { Connection } from "#store/database";

/** Whether the files of a workspace are gone, because its last run was deleted. */
export async function isWorkspaceRemoved(db: Connection, workspaceId: string): Promise<boolean> {
  const row = await db
    .selectFrom("workspaces")
    .select("removed_at")
    .where("id", "=", workspaceId)
    .executeTakeFirstOrThrow();
  return row.removed_at !== null;
}

/** Whether all runs that share this workspace are deleted and its files are not removed yet. */
export async function mustRemoveWorkspace(db: Connection, workspaceId: string): Promise<boolean> {
  const row = await toRemove(db).where("workspaces.id", "=", workspaceId).executeTakeFirst();
  return row !== undefined;
}

export async function workspacesToRemove(db: Connection): Promise<string[]> {
  const rows = await toRemove(db).execute();
  return rows.map((row) => row.id);
}

export async function markWorkspaceRemoved(db: Connection, workspaceId: string, atMs: number): Promise<void> {
  await db.updateTable("workspaces").set({ removed_at: atMs }).where("id", "=", workspaceId).execute();
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
