import { sql } from "kysely";
import { locked } from "#store/database/adapter";
import { type Connection, transaction } from "#store/database/database";
import { fixedQuery } from "#store/database/fixed-query";
import { type Notification, statusesText, toNotification } from "#store/notifications/notifications";
import { isReported, REPORTED_STATUSES, type ReportedStatus } from "#workflow/people/notification";
import type { RunStatus } from "#workflow/run/run-status";

/**
 * The outbox: a row for each status of a run that a notification has to report. It is written in the transaction that
 * moves the run, and removed when the message is delivered or given up.
 */

interface Reached {
  readonly runId: string;
  readonly ownerId: string;
  readonly to: RunStatus;
  /** Time of the change, as the run records it. */
  readonly atMs: number;
  readonly nowMs: number;
}

const markDue = fixedQuery((db, given: { runId: string; ownerId: string; pattern: string; nowMs: number }) =>
  db
    .updateTable("notifications")
    .set({ due_at: sql`coalesce(due_at, ${given.nowMs})` })
    .where("user_id", "=", given.ownerId)
    .where((is) => is.or([is("run_id", "is", null), is("run_id", "=", given.runId)]))
    .where("statuses", "like", given.pattern)
    .returning("id"),
);

/** Adds the messages about a run's new status. Call it in the transaction that moves the run. */
export async function addDeliveries(
  db: Connection,
  { runId, ownerId, to, atMs, nowMs }: Reached,
): Promise<void> {
  if (!isReported(to)) return;
  const { rows } = await markDue(db, { runId, ownerId, pattern: `%${statusesText([to])}%`, nowMs });
  if (rows.length === 0) return;
  const place = REPORTED_STATUSES.indexOf(to);
  const added = rows.map(({ id }) => ({ notification_id: id, run_id: runId, status: to, place, at: atMs }));
  await db.insertInto("deliveries").values(added).execute();
}

/**
 * Removes the notifications of one run, and all messages about the run. Must run in the transaction deleting
 * the run.
 */
export async function forgetNotificationsOfRun(
  db: Connection,
  { runId }: { readonly runId: string },
): Promise<void> {
  await deleteDeliveries(db, { runId });
  await deleteNotifications(db, { runId });
}

const deleteDeliveries = fixedQuery((db, { runId }: { runId: string }) =>
  db.deleteFrom("deliveries").where("run_id", "=", runId),
);
const deleteNotifications = fixedQuery((db, { runId }: { runId: string }) =>
  db.deleteFrom("notifications").where("run_id", "=", runId),
);

export interface DueNotification extends Notification {
  readonly dueAtMs: number;
}

/**
 * Returns notifications with messages to deliver now, the longest waiting first. Notifications of disabled
 * users wait.
 */
export async function dueNotifications(
  db: Connection,
  { nowMs, most }: { readonly nowMs: number; readonly most: number },
): Promise<DueNotification[]> {
  const { rows } = await due(db, { nowMs, most });
  return rows.map((row) => ({ ...toNotification(row), dueAtMs: row.due_at! }));
}

const due = fixedQuery((db, { nowMs, most }: { nowMs: number; most: number }) =>
  db
    .selectFrom("notifications")
    .innerJoin("users", "users.id", "notifications.user_id")
    .selectAll("notifications")
    .where("due_at", "<=", nowMs)
    .where("users.disabled_at", "is", null)
    .orderBy("due_at")
    .limit(most),
);

/**
 * Reserves a notification until a time, so other servers do not deliver for it. Returns false if another
 * server has changed the notification since the read.
 */
export async function claimNotification(
  db: Connection,
  { id, dueAtMs }: DueNotification,
  untilMs: number,
): Promise<boolean> {
  const result = await db
    .updateTable("notifications")
    .set({ due_at: untilMs })
    .where("id", "=", id)
    .where("due_at", "=", dueAtMs)
    .executeTakeFirst();
  return result.numUpdatedRows === 1n;
}

/** A message to deliver, with facts about the reported run. */
export interface Delivery {
  readonly notificationId: string;
  readonly runId: string;
  readonly status: ReportedStatus;
  readonly atMs: number;
  readonly name: string;
  readonly runMajor: number;
  readonly runMinor: number;
  readonly createdAtMs: number;
  readonly startedAtMs: number | null;
  readonly failure: string | null;
}

/** Returns the oldest message of a notification. */
export async function maybeNextDelivery(
  db: Connection,
  notificationId: string,
): Promise<Delivery | undefined> {
  const row = await db
    .selectFrom("deliveries")
    .innerJoin("runs", "runs.id", "deliveries.run_id")
    .select(["deliveries.run_id", "deliveries.status", "deliveries.at"])
    .select(["name", "run_major", "run_minor", "created_at", "started_at", "failure"])
    .where("notification_id", "=", notificationId)
    .orderBy("deliveries.at")
    .orderBy("deliveries.run_id")
    .orderBy("deliveries.place")
    .limit(1)
    .executeTakeFirst();
  return (
    row && {
      notificationId,
      runId: row.run_id,
      status: row.status,
      atMs: row.at,
      name: row.name,
      runMajor: row.run_major,
      runMinor: row.run_minor,
      createdAtMs: row.created_at,
      startedAtMs: row.started_at,
      failure: row.failure,
    }
  );
}

/** Result of an attempt to deliver a message. */
export type Outcome =
  | { readonly kind: "delivered"; readonly atMs: number }
  | {
      readonly kind: "failed";
      readonly problem: string;
      readonly againAtMs: number;
      /** Messages about earlier changes are given up. */
      readonly giveUpBeforeMs: number;
    };

/** Records the outcome of an attempt, and when the next message of the notification is due. */
export function recordOutcome(db: Connection, delivery: Delivery, outcome: Outcome): Promise<void> {
  const { notificationId: id, runId, status } = delivery;
  return transaction(db, async (connection) => {
    if (!(await lockNotification(connection, id))) return;
    const isDelivered = outcome.kind === "delivered";
    const done = connection.deleteFrom("deliveries").where("notification_id", "=", id);
    await (
      isDelivered
        ? done.where("run_id", "=", runId).where("status", "=", status)
        : done.where("at", "<", outcome.giveUpBeforeMs)
    ).execute();
    await connection
      .updateTable("notifications")
      .set(
        isDelivered
          ? { failures: 0, problem: null, delivered_at: outcome.atMs }
          : { failures: sql`failures + 1`, problem: outcome.problem },
      )
      .where("id", "=", id)
      .execute();
    await schedule(connection, id, isDelivered ? outcome.atMs : outcome.againAtMs);
  });
}

/** Records that a notification is without messages, unless a message has arrived. */
export function recordEmpty(db: Connection, notificationId: string, nowMs: number): Promise<void> {
  return transaction(db, async (connection) => {
    if (await lockNotification(connection, notificationId)) await schedule(connection, notificationId, nowMs);
  });
}

/**
 * A run that moves marks the notification first: no message is added between the lock and the end of the
 * transaction.
 */
async function lockNotification(db: Connection, id: string): Promise<boolean> {
  const row = await locked(
    db,
    db.selectFrom("notifications").select("id").where("id", "=", id),
  ).executeTakeFirst();
  return row !== undefined;
}

/** Sets the due time of the next message, or records that no message is waiting. */
async function schedule(db: Connection, id: string, atMs: number): Promise<void> {
  const next = await db
    .selectFrom("deliveries")
    .select("run_id")
    .where("notification_id", "=", id)
    .limit(1)
    .executeTakeFirst();
  await db
    .updateTable("notifications")
    .set({ due_at: next ? atMs : null })
    .where("id", "=", id)
    .execute();
}
