import type { Updateable } from "kysely";
import { locked } from "#store/adapter";
import type { Connection } from "#store/database";
import type { Tables } from "#store/tables";
import { addToCount } from "#store/workflow-counts";
import { type Actor, type RunStatus, statusesBefore } from "#workflow/run-status";

export interface StatusChange {
  readonly workflowId: string;
  readonly to: RunStatus;
  readonly by: Actor;
  readonly atMs: number;
}

/**
 * The only SQL that writes a status. Answers false when the run is in no status from which `by` may move it to `to`:
 * the caller asked too late, or twice. Call it inside the transaction that records why.
 */
export async function changeStatus(db: Connection, change: StatusChange): Promise<boolean> {
  const row = db.selectFrom("workflows").select(["status", "owner_id"]).where("id", "=", change.workflowId);
  const before = await locked(db, row).executeTakeFirst();
  if (!before) return false;
  const allowed = statusesBefore(change.to, change.by);
  if (!allowed.includes(before.status)) return false;
  const result = await db
    .updateTable("workflows")
    .set({ status: change.to, ...timeColumn(change) })
    .where("id", "=", change.workflowId)
    .where("status", "=", before.status)
    .executeTakeFirst();
  if (result.numUpdatedRows !== 1n) return false;
  await addToCount(db, before.owner_id, before.status, -1);
  await addToCount(db, before.owner_id, change.to, 1);
  return true;
}

/** REANA's three times, and ours of the queue. */
function timeColumn(change: StatusChange): Updateable<Tables["workflows"]> {
  switch (change.to) {
    case "queued":
      return { queued_at: change.atMs };
    case "running":
      return { started_at: change.atMs };
    case "finished":
    case "failed":
      return { finished_at: change.atMs };
    case "stopped":
      return { stopped_at: change.atMs };
    default:
      return {};
  }
}
