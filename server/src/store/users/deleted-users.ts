import type { Connection } from "#store/database/database";
import { type Run, RUN_COLUMNS, toRun } from "#store/runs/runs";
import { emailKey, toUser, type User } from "#store/users/users";
import { LIVE_STATUSES } from "#workflow/run/run-status";

/** A deleted user keeps the row, because runs and totals name it. Nobody can sign in as such a user. */

/** Returns the deleted user with the given address and kept runs. */
export async function maybeDeletedUser(db: Connection, email: string): Promise<User | undefined> {
  const row = await deletedWithRuns(db, email).executeTakeFirst();
  return row && toUser(row);
}

function deletedWithRuns(db: Connection, email: string) {
  return db
    .selectFrom("users")
    .selectAll()
    .where("email_key", "=", emailKey(email))
    .where("deleted_at", "is not", null);
}

/** Makes a deleted user of this address an ordinary user again, with the runs that were kept. */
export async function maybeReturnedUser(db: Connection, email: string): Promise<User | undefined> {
  const row = await db
    .updateTable("users")
    .set({ deleted_at: null, disabled_at: null, email })
    .where("email_key", "=", emailKey(email))
    .where("deleted_at", "is not", null)
    .returningAll()
    .executeTakeFirst();
  return row && toUser(row);
}

interface Deletion {
  readonly userId: string;
  /** The user who maintains the groups of the deleted user from now on. */
  readonly heirId: string;
  readonly atMs: number;
}

/**
 * Ends everything by which a user has access or acts: tokens, sessions, identities at providers, shares in both directions, memberships, secrets
 * and notifications. Groups of the user get another owner. Runs, and what they have used, stay.
 */
export async function markDeleted(db: Connection, { userId, heirId, atMs }: Deletion): Promise<void> {
  await db
    .updateTable("users")
    .set({ deleted_at: atMs, disabled_at: atMs, asked_at: null, is_admin: 0 })
    .where("id", "=", userId)
    .execute();
  await db.deleteFrom("tokens").where("user_id", "=", userId).execute();
  await db.deleteFrom("identities").where("user_id", "=", userId).execute();
  await db.deleteFrom("idempotency_keys").where("user_id", "=", userId).execute();
  await db.deleteFrom("group_members").where("user_id", "=", userId).execute();
  await db.updateTable("groups").set({ owner_id: heirId }).where("owner_id", "=", userId).execute();
  await db
    .deleteFrom("run_shares")
    .where((is) => is.or([is("owner_id", "=", userId), is("grantee_id", "=", userId)]))
    .execute();
  await endNotifications(db, userId);
  // The values of secrets stay while a log may contain them, to keep the log masked.
  await db
    .updateTable("secrets")
    .set({ removed_at: atMs })
    .where("user_id", "=", userId)
    .where("removed_at", "is", null)
    .execute();
}

async function endNotifications(db: Connection, userId: string): Promise<void> {
  const own = db.selectFrom("notifications").select("id").where("user_id", "=", userId);
  await db.deleteFrom("deliveries").where("notification_id", "in", own).execute();
  await db.deleteFrom("notifications").where("user_id", "=", userId).execute();
}

/** Records that the runs of a deleted user are to be deleted, and frees the address. The name goes with the address. */
export async function markToErase(db: Connection, userId: string): Promise<void> {
  await db
    .updateTable("users")
    .set({ removes_runs: 1, email: `deleted user ${userId.slice(0, 8)}`, email_key: `deleted ${userId}` })
    .where("id", "=", userId)
    .execute();
}

/** Returns the ids of the live runs of a user. */
export async function liveRunIds(db: Connection, ownerId: string): Promise<string[]> {
  const rows = await db
    .selectFrom("runs")
    .select("id")
    .where("owner_id", "=", ownerId)
    .where("status", "in", LIVE_STATUSES)
    .execute();
  return rows.map(({ id }) => id);
}

/** Returns how many runs of a user have not been deleted. */
export async function countRunsOf(db: Connection, ownerId: string): Promise<number> {
  const row = await db
    .selectFrom("run_counts")
    .select((is) => is.fn.sum<number | string | null>("total").as("total"))
    .where("owner_id", "=", ownerId)
    .where("status", "!=", "deleted")
    .executeTakeFirst();
  return Number(row?.total ?? 0);
}

/** Returns the deleted users whose runs are to be deleted. */
export async function usersToErase(db: Connection): Promise<string[]> {
  const rows = await db.selectFrom("users").select("id").where("removes_runs", "=", 1).execute();
  return rows.map(({ id }) => id);
}

/** Returns some runs of a user that are neither deleted nor live. */
export async function runsToErase(db: Connection, ownerId: string, max: number): Promise<Run[]> {
  const rows = await db
    .selectFrom("runs")
    .select(RUN_COLUMNS)
    .where("owner_id", "=", ownerId)
    .where("status", "not in", [...LIVE_STATUSES, "deleted"])
    .orderBy("seq")
    .limit(max)
    .execute();
  return rows.map(toRun);
}

/** Records that no run of a deleted user is left to delete. */
export async function markErased(db: Connection, userId: string): Promise<void> {
  await db.updateTable("users").set({ removes_runs: 0 }).where("id", "=", userId).execute();
}
