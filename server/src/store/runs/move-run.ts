import { type RawBuilder, sql } from "kysely";
import { adapterOf, locked } from "#store/database/adapter";
import type { Connection } from "#store/database/database";
import { fixedQuery } from "#store/database/fixed-query";
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
  const from = await maybeStatusBefore(db, change);
  if (from === undefined) return false;
  const [moved] = (await MOVES[to](db, { runId, from, to, atMs: change.atMs })).rows;
  if (!moved) return false;
  const { owner_id: ownerId, at: atMs } = moved;
  await together([
    moveCount(db, { ownerId, from, to }),
    moved.has_notifications && addDeliveries(db, { runId, ownerId, to, atMs, nowMs: change.atMs }),
  ]);
  if (to === "deleted") await together([hideShares(db, moved), forgetNotificationsOfRun(db, { runId })]);
  return true;
}

/**
 * Returns the status before the move. Most moves have a single possible status, checked by the update without
 * an earlier read.
 */
async function maybeStatusBefore(db: Connection, { runId, to, by }: RunMove): Promise<RunStatus | undefined> {
  const allowed = statusesBefore(to, by);
  if (allowed.length < 2) return allowed[0];
  const before = (await lockedRow(db, { runId })).rows[0];
  return before && allowed.includes(before.status) ? before.status : undefined;
}

const lockedRow = fixedQuery((db, { runId }: { runId: string }) =>
  locked(db, db.selectFrom("runs").select("status").where("id", "=", runId)),
);

interface Move {
  readonly runId: string;
  readonly from: RunStatus;
  readonly to: RunStatus;
  readonly atMs: number;
}

/** Returns the time of a move. The clock may have been set back: clamp, so that no duration is negative. */
function timeOf(db: Connection, { atMs }: Move) {
  const greatest = sql.raw(adapterOf(db).differences.greatest);
  return sql<number>`${greatest}(${atMs}, created_at, coalesce(queued_at, 0), coalesce(started_at, 0))`;
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
  queued: moveTo((at) => ({ queued_at: at })),
  pending: withoutTime,
  running: moveTo((at) => ({ started_at: at })),
  finished: moveTo((at) => ({ finished_at: at, ...WAITS_NO_MORE })),
  failed: moveTo((at) => ({ finished_at: at, ...WAITS_NO_MORE })),
  stopped: moveTo((at) => ({ stopped_at: at, ...WAITS_NO_MORE })),
  deleted: withoutTime,
} satisfies Record<RunStatus, unknown>;

function moveTo(columnsOf: (at: RawBuilder<number>) => object) {
  return fixedQuery((db, move: Move) => {
    const at = timeOf(db, move);
    return (
      db
        .updateTable("runs")
        .set({ status: move.to, ...columnsOf(at) })
        .where("id", "=", move.runId)
        .where("status", "=", move.from)
        // A time that the update has just set is the greatest.
        .returning(["seq", "owner_id", at.as("at"), hasNotifications.as("has_notifications")])
    );
  });
}
