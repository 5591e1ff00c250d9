import type { Selectable } from "kysely";
import { locked } from "#store/database/adapter";
import type { Connection } from "#store/database/database";
import type { Tables } from "#store/database/tables";
import type { ReportedStatus } from "#workflow/people/notification";
import { OVER_STATUSES } from "#workflow/run/run-status";

/** A user's request to be sent a message when runs reach certain statuses. */
export interface NewNotification {
  readonly id: string;
  readonly userId: string;
  /** The only run to report. Null for all runs of the user. */
  readonly runId: string | null;
  /** The address of a webhook, or an e-mail address. */
  readonly receiver: string;
  readonly statuses: readonly ReportedStatus[];
  /** The key of a webhook's signatures, encrypted with the server's key. Null for e-mail. */
  readonly sealed: string | null;
  readonly createdAtMs: number;
}

export interface Notification extends NewNotification {
  /** The earliest moment of the next attempt to deliver. Null if nothing is waiting. */
  readonly dueAtMs: number | null;
  /** Failed attempts since the last success. */
  readonly failures: number;
  readonly deliveredAtMs: number | null;
  /** Why the last attempt failed, in a sentence. Null if it succeeded. */
  readonly problem: string | null;
}

export async function insertNotification(db: Connection, one: NewNotification): Promise<void> {
  await db
    .insertInto("notifications")
    .values({
      id: one.id,
      user_id: one.userId,
      run_id: one.runId,
      receiver: one.receiver,
      statuses: statusesText(one.statuses),
      sealed: one.sealed,
      created_at: one.createdAtMs,
      due_at: null,
      failures: 0,
      delivered_at: null,
      problem: null,
    })
    .execute();
}

export interface ListedNotification extends Notification {
  /** The name and number of the only run to report. Null for all runs. */
  readonly run: { readonly name: string; readonly runMajor: number; readonly runMinor: number } | null;
  /** Number of undelivered messages. */
  readonly waiting: number;
}

/** Returns the notifications of a user, the oldest first. */
export async function notificationsOf(db: Connection, userId: string): Promise<ListedNotification[]> {
  const rows = await db
    .selectFrom("notifications")
    .leftJoin("runs", "runs.id", "notifications.run_id")
    .selectAll("notifications")
    .select(["runs.name", "runs.run_major", "runs.run_minor"])
    .select((is) =>
      is
        .selectFrom("deliveries")
        .select((count) => count.fn.countAll<number | string>().as("waiting"))
        .whereRef("deliveries.notification_id", "=", "notifications.id")
        .as("waiting"),
    )
    .where("notifications.user_id", "=", userId)
    .orderBy("notifications.created_at")
    .orderBy("notifications.id")
    .execute();
  return rows.map((row) => ({
    ...toNotification(row),
    run: row.name === null ? null : { name: row.name, runMajor: row.run_major!, runMinor: row.run_minor! },
    waiting: Number(row.waiting),
  }));
}

/** Returns a notification of a user. */
export async function maybeNotification(
  db: Connection,
  { userId, id }: Pick<Notification, "userId" | "id">,
): Promise<Notification | undefined> {
  const row = await db
    .selectFrom("notifications")
    .selectAll()
    .where("id", "=", id)
    .where("user_id", "=", userId)
    .executeTakeFirst();
  return row && toNotification(row);
}

export async function countNotifications(db: Connection, userId: string): Promise<number> {
  const { total } = await db
    .selectFrom("notifications")
    .select((is) => is.fn.countAll<number | string>().as("total"))
    .where("user_id", "=", userId)
    // Notifications of commits do not count: GitLab may make any number of them.
    .where("receiver", "not like", "gitlab:%")
    .executeTakeFirstOrThrow();
  return Number(total);
}

/** Removes the notification of an ended run with all messages delivered. */
export async function removeSpentNotification(db: Connection, id: string): Promise<void> {
  await db
    .deleteFrom("notifications")
    .where("id", "=", id)
    .where("due_at", "is", null)
    .where("run_id", "in", (is) => is.selectFrom("runs").select("id").where("status", "in", OVER_STATUSES))
    .execute();
}

/** Deletes a user's notification and its undelivered messages. Returns false if the id is unknown. */
export async function deleteNotification(
  db: Connection,
  { userId, id }: Pick<Notification, "userId" | "id">,
): Promise<boolean> {
  // Locked first: a run that moves now waits, and then finds no notification to add to.
  const own = db.selectFrom("notifications").select("id").where("id", "=", id).where("user_id", "=", userId);
  if (!(await locked(db, own).executeTakeFirst())) return false;
  await db.deleteFrom("deliveries").where("notification_id", "=", id).execute();
  await db.deleteFrom("notifications").where("id", "=", id).execute();
  return true;
}

/** Writes statuses in a form searchable by `%,status,%`. */
export function statusesText(statuses: readonly ReportedStatus[]): string {
  return `,${statuses.join(",")},`;
}

export function toNotification(row: Selectable<Tables["notifications"]>): Notification {
  return {
    id: row.id,
    userId: row.user_id,
    runId: row.run_id,
    receiver: row.receiver,
    statuses: row.statuses.split(",").filter((word) => word !== "") as ReportedStatus[],
    sealed: row.sealed,
    createdAtMs: row.created_at,
    dueAtMs: row.due_at,
    failures: row.failures,
    deliveredAtMs: row.delivered_at,
    problem: row.problem,
  };
}
