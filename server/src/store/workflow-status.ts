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
  const row = db.selectFrom("workflows").select(BEFORE).where("id", "=", change.workflowId);
  const before = await locked(db, row).executeTakeFirst();
  if (!before) return false;
  const allowed = statusesBefore(change.to, change.by);
  if (!allowed.includes(before.status)) return false;
  const result = await db
    .updateTable("workflows")
    .set({ status: change.to, ...timeColumn(change.to, notBefore(before, change.atMs)) })
    .where("id", "=", change.workflowId)
    .where("status", "=", before.status)
    .executeTakeFirst();
  if (result.numUpdatedRows !== 1n) return false;
  await addToCount(db, before.owner_id, before.status, -1);
  await addToCount(db, before.owner_id, change.to, 1);
  return true;
}

const BEFORE = ["status", "owner_id", "created_at", "queued_at", "started_at"] as const;

/** Somebody may have set the time of day back meanwhile: nothing that is shown took less than no time. */
function notBefore(
  row: { created_at: number; queued_at: number | null; started_at: number | null },
  atMs: number,
): number {
  return Math.max(atMs, row.created_at, row.queued_at ?? 0, row.started_at ?? 0);
}

/** REANA's three times, and ours of the queue. */
function timeColumn(to: RunStatus, atMs: number): Updateable<Tables["workflows"]> {
  switch (to) {
    case "queued":
      return { queued_at: atMs };
    case "running":
      return { started_at: atMs };
    case "finished":
    case "failed":
      return { finished_at: atMs };
    case "stopped":
      return { stopped_at: atMs };
    default:
      return {};
  }
}
