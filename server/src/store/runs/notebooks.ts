import { type Connection, transaction } from "#store/database/database";
import { countUse } from "#store/runs/usage-days";
import type { NotebookStatus } from "#workflow/notebook";
import { dayOf } from "#workflow/people/quota";

/** An open notebook. A closed one has no row. */
export interface NotebookRow {
  readonly runId: string;
  /** Id of the notebook's job. */
  readonly id: string;
  readonly hostId: string;
  readonly hostToken: string;
  readonly image: string | null;
  readonly sealed: string;
  readonly status: NotebookStatus;
  readonly openedAtMs: number;
  readonly usedAtMs: number;
  /** Reason for closing, as a sentence. Null if the user closes the notebook. */
  readonly closedFor: string | null;
}

/** A notebook with the facts about the run needed for its job. */
export interface NotebookOfRun extends NotebookRow {
  readonly ownerId: string;
  readonly workspaceId: string;
  /** True if its owner may no longer sign in. */
  readonly isOwnerDisabled: boolean;
}

/** Returns false if the run has a notebook already. */
export async function insertNotebook(
  db: Connection,
  notebook: Omit<NotebookRow, "closedFor">,
): Promise<boolean> {
  const inserted = await db
    .insertInto("notebooks")
    .values({
      run_id: notebook.runId,
      id: notebook.id,
      host_id: notebook.hostId,
      host_token: notebook.hostToken,
      image: notebook.image,
      sealed: notebook.sealed,
      status: notebook.status,
      opened_at: notebook.openedAtMs,
      used_at: notebook.usedAtMs,
    })
    .onConflict((conflict) => conflict.column("run_id").doNothing())
    .executeTakeFirst();
  return inserted.numInsertedOrUpdatedRows === 1n;
}

export async function maybeNotebook(db: Connection, runId: string): Promise<NotebookOfRun | undefined> {
  const row = await select(db).where("notebooks.run_id", "=", runId).executeTakeFirst();
  return row && toNotebook(row);
}

/** Returns the open notebooks whose jobs run on a host. */
export async function notebooksOfHost(db: Connection, hostId: string): Promise<NotebookOfRun[]> {
  const rows = await select(db).where("notebooks.host_id", "=", hostId).orderBy("opened_at").execute();
  return rows.map(toNotebook);
}

/** Returns the hosts of a user's open notebooks. */
export async function hostsOfNotebooks(db: Connection, ownerId: string): Promise<string[]> {
  const rows = await db
    .selectFrom("notebooks")
    .innerJoin("runs", "runs.id", "notebooks.run_id")
    .select("notebooks.host_id")
    .distinct()
    .where("runs.owner_id", "=", ownerId)
    .execute();
  return rows.map((row) => row.host_id);
}

/** Returns the open notebooks of these runs, by run. */
export async function notebooksOf(
  db: Connection,
  runIds: readonly string[],
): Promise<ReadonlyMap<string, NotebookOfRun>> {
  if (runIds.length === 0) return new Map();
  const rows = await select(db).where("notebooks.run_id", "in", runIds).execute();
  return new Map(rows.map((row) => [row.run_id, toNotebook(row)]));
}

/** Records a new status, and why the notebook ends. A notebook that is being closed stays so. */
export async function markNotebook(
  db: Connection,
  id: string,
  status: NotebookStatus,
  closedFor: string | null = null,
): Promise<void> {
  await db
    .updateTable("notebooks")
    .set({ status, closed_for: closedFor })
    .where("id", "=", id)
    .where("status", "!=", "closing")
    .execute();
}

/** Records when a notebook was last used. An earlier time changes nothing. */
export async function noteNotebookUse(db: Connection, id: string, usedAtMs: number): Promise<void> {
  await db
    .updateTable("notebooks")
    .set({ used_at: usedAtMs })
    .where("id", "=", id)
    .where("used_at", "<", usedAtMs)
    .execute();
}

/**
 * Records that the job of a notebook has ended, once, and adds its processor time to the totals of its owner. The
 * notebook has its row until the job is forgotten.
 */
export function recordNotebookEnd(
  db: Connection,
  { id, runId, ownerId }: NotebookOfRun,
  { cpuMs, atMs }: { readonly cpuMs: number; readonly atMs: number },
): Promise<void> {
  return transaction(db, async (tx) => {
    await markNotebook(tx, id, "closing");
    const closedFor = tx.selectFrom("notebooks").select("closed_for").where("id", "=", id);
    const inserted = await tx
      .insertInto("ended_notebooks")
      .values({ id, run_id: runId, user_id: ownerId, ended_at: atMs, cpu_ms: cpuMs, closed_for: closedFor })
      .onConflict((conflict) => conflict.column("id").doNothing())
      .executeTakeFirst();
    if (inserted.numInsertedOrUpdatedRows === 1n)
      await countUse(tx, { userId: ownerId, day: dayOf(atMs), cpuMs, wallMs: 0, runs: 0 });
  });
}

/**
 * Returns the reason for the end of a run's last notebook. Undefined if the user closed it, or if the run
 * never had a notebook.
 */
export async function maybeClosedFor(db: Connection, runId: string): Promise<string | undefined> {
  const last = await db
    .selectFrom("ended_notebooks")
    .select("closed_for")
    .where("run_id", "=", runId)
    .orderBy("ended_at", "desc")
    .limit(1)
    .executeTakeFirst();
  return last?.closed_for ?? undefined;
}

export async function deleteNotebook(db: Connection, id: string): Promise<void> {
  await db.deleteFrom("notebooks").where("id", "=", id).execute();
}

function select(db: Connection) {
  return db
    .selectFrom("notebooks")
    .innerJoin("runs", "runs.id", "notebooks.run_id")
    .innerJoin("users", "users.id", "runs.owner_id")
    .selectAll("notebooks")
    .select(["runs.owner_id", "runs.workspace_id", "users.disabled_at"]);
}

type Row = Awaited<ReturnType<ReturnType<typeof select>["executeTakeFirstOrThrow"]>>;

function toNotebook(row: Row): NotebookOfRun {
  return {
    runId: row.run_id,
    id: row.id,
    hostId: row.host_id,
    hostToken: row.host_token,
    image: row.image,
    sealed: row.sealed,
    status: row.status,
    openedAtMs: row.opened_at,
    usedAtMs: row.used_at,
    closedFor: row.closed_for,
    ownerId: row.owner_id,
    workspaceId: row.workspace_id,
    isOwnerDisabled: row.disabled_at !== null,
  };
}
