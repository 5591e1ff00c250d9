import { sql, type Updateable } from "kysely";
import { locked } from "#store/database/adapter";
import type { Connection } from "#store/database/database";
import { fixedQuery } from "#store/database/fixed-query";
import type { Tables } from "#store/database/tables";
import { together } from "#store/database/together";
import { addDeliveries, forgetNotificationsOfRun } from "#store/notifications/deliveries";
import { moveCount } from "#store/runs/run-counts";
import { hideShares } from "#store/sharing/shares";
import { type Actor, type RunStatus, statusesBefore } from "#workflow/run/run-status";

export interface RunMove {
  readonly runId: string;
  readonly to: RunStatus;
  readonly by: Actor;
  readonly atMs: number;
}

/**
 * The only SQL that writes a status. Returns false if `by` may not move the run to `to` from its present status: the
 * request came too late, or twice. Call it inside the transaction that records the reason.
 */
export async function moveRun(db: Connection, change: RunMove): Promise<boolean> {
  const { runId, to } = change;
  const before = (await lockedRow(db, { runId })).rows[0];
  if (!before || !statusesBefore(to, change.by).includes(before.status)) return false;
  const atMs = notBefore(before, change.atMs);
  const [moved] = (await MOVES[to](db, { runId, from: before.status, to, atMs })).rows;
  if (!moved) return false;
  const ownerId = before.owner_id;
  await together([
    moveCount(db, { ownerId, from: before.status, to }),
    moved.has_notifications && addDeliveries(db, { runId, ownerId, to, atMs, nowMs: change.atMs }),
  ]);
  if (to === "deleted") await together([hideShares(db, before), forgetNotificationsOfRun(db, { runId })]);
  return true;
}

const lockedRow = fixedQuery((db, { runId }: { runId: string }) => {
  const columns = ["seq", "status", "owner_id", "created_at", "queued_at", "started_at"] as const;
  return locked(db, db.selectFrom("runs").select(columns).where("id", "=", runId));
});

/** The clock may have been set back: clamp, so that no duration is negative. */
function notBefore(
  row: { created_at: number; queued_at: number | null; started_at: number | null },
  atMs: number,
): number {
  return Math.max(atMs, row.created_at, row.queued_at ?? 0, row.started_at ?? 0);
}

interface Move {
  readonly runId: string;
  readonly from: RunStatus;
  readonly to: RunStatus;
  readonly atMs: number;
}

/**
 * The update also returns whether the owner has any notification. Most users have none, and a statement that looks for
 * them would cost as much as the update.
 */
const hasNotifications = sql<boolean | number>`exists (
  select 1 from notifications where notifications.user_id = runs.owner_id)`;

/** A sentence about an earlier failure may have been stored after the run was resumed. */
const WAITS_NO_MORE = { waiting_for: null };
const withoutTime = moveTo(() => ({}));
/** The update for each target status. The stored times are REANA's three, and our time of queueing. */
const MOVES = {
  created: withoutTime,
  queued: moveTo(({ atMs }) => ({ queued_at: atMs })),
  pending: withoutTime,
  running: moveTo(({ atMs }) => ({ started_at: atMs })),
  finished: moveTo(({ atMs }) => ({ finished_at: atMs, ...WAITS_NO_MORE })),
  failed: moveTo(({ atMs }) => ({ finished_at: atMs, ...WAITS_NO_MORE })),
  stopped: moveTo(({ atMs }) => ({ stopped_at: atMs, ...WAITS_NO_MORE })),
  deleted: withoutTime,
} satisfies Record<RunStatus, unknown>;

function moveTo(timeOf: (move: Move) => Updateable<Tables["runs"]>) {
  return fixedQuery((db, move: Move) =>
    db
      .updateTable("runs")
      .set({ status: move.to, ...timeOf(move) })
      .where("id", "=", move.runId)
      .where("status", "=", move.from)
      .returning(hasNotifications.as("has_notifications")),
  );
}
