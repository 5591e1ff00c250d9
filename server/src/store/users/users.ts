import { sql } from "kysely";
import { locked } from "#store/database/adapter";
import type { Connection } from "#store/database/database";
import { fixedQuery } from "#store/database/fixed-query";
import { rowsQuery } from "#store/database/many-rows";

export interface User {
  readonly id: string;
  readonly email: string;
  readonly isAdmin: boolean;
  readonly disabledAtMs: number | null;
  readonly createdAtMs: number;
}

/** A user with the first active unlimited token, encrypted. Null without a token. */
export interface UserWithToken extends User {
  readonly sealedToken: string | null;
}

export interface UserCriteria {
  readonly id?: string;
  readonly email?: string;
  readonly tokenHash?: string;
}

const COLUMNS = [
  "users.id",
  "users.email",
  "users.is_admin",
  "users.disabled_at",
  "users.created_at",
] as const;

interface UserRow {
  id: string;
  email: string;
  is_admin: number;
  disabled_at: number | null;
  created_at: number;
}

export function emailKey(email: string): string {
  return email.toLowerCase();
}

/** Returns false if the address is taken already. */
export async function insertUser(db: Connection, user: User): Promise<boolean> {
  const result = await db
    .insertInto("users")
    .values({
      id: user.id,
      email: user.email,
      email_key: emailKey(user.email),
      is_admin: user.isAdmin ? 1 : 0,
      disabled_at: user.disabledAtMs,
      created_at: user.createdAtMs,
    })
    .onConflict((conflict) => conflict.column("email_key").doNothing())
    .executeTakeFirst();
  return result.numInsertedOrUpdatedRows === 1n;
}

export async function maybeUser(db: Connection, id: string): Promise<User | undefined> {
  const row = await presentUsers(db).where("id", "=", id).executeTakeFirst();
  return row && toUser(row);
}

export async function maybeUserByEmail(db: Connection, email: string): Promise<User | undefined> {
  const row = await presentUsers(db).where("email_key", "=", emailKey(email)).executeTakeFirst();
  return row && toUser(row);
}

/** Selects the users who have not been deleted. */
function presentUsers(db: Connection) {
  return db.selectFrom("users").select(COLUMNS).where("users.deleted_at", "is", null);
}

export async function emailsOf(db: Connection, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const { rows } = await emailsAmong(
    db,
    ids.map((id) => ({ id })),
  );
  return new Map(rows.map(({ id, email }) => [id, email]));
}

const ID_COLUMN = { id: "text" } as const;

const emailsAmong = rowsQuery(ID_COLUMN, (db, given) =>
  db
    .selectFrom("users")
    .select(["id", "email"])
    .where(sql<boolean>`id in (select id from ${given})`),
);

/** Returns the oldest administrator who may sign in. */
export async function maybeAdmin(
  db: Connection,
  { otherThan = "" }: { readonly otherThan?: string } = {},
): Promise<User | undefined> {
  const row = await administrators(db).where("id", "!=", otherThan).orderBy("created_at").executeTakeFirst();
  return row && toUser(row);
}

/**
 * Returns whether another administrator may sign in. Must run inside a transaction: the rows are locked, so
 * two administrators cannot end each other.
 */
export async function hasOtherAdmin(db: Connection, userId: string): Promise<boolean> {
  const rows = await locked(db, administrators(db)).execute();
  return rows.some(({ id }) => id !== userId);
}

function administrators(db: Connection) {
  return presentUsers(db).where("is_admin", "=", 1).where("disabled_at", "is", null);
}

/** Returns whether more than one user may have runs. */
export async function hasSeveralUsers(db: Connection): Promise<boolean> {
  return (await enabledUsers(db, { limit: 2 })).rows.length > 1;
}

/** Executed at almost every start of a run. */
const enabledUsers = fixedQuery((db, { limit }: { readonly limit: number }) =>
  db.selectFrom("users").select("id").where("disabled_at", "is", null).limit(limit),
);

/** Returns the users who match all criteria, or all users if there are none. In order of creation. */
export async function findUsers(db: Connection, criteria: UserCriteria): Promise<UserWithToken[]> {
  let query = db
    .selectFrom("users")
    .select((expression) => [
      ...COLUMNS,
      expression
        .selectFrom("tokens")
        .select("tokens.sealed")
        .whereRef("tokens.user_id", "=", "users.id")
        .where("tokens.kind", "=", "token")
        .where("tokens.scope", "=", "everything")
        .where("tokens.expires_at", "is", null)
        .where("tokens.revoked_at", "is", null)
        .orderBy("tokens.created_at")
        .orderBy("tokens.id")
        .limit(1)
        .as("sealed"),
    ])
    .where("users.deleted_at", "is", null)
    .orderBy("users.created_at")
    .orderBy("users.id");
  if (criteria.id !== undefined) query = query.where("users.id", "=", criteria.id);
  if (criteria.email !== undefined) query = query.where("users.email_key", "=", emailKey(criteria.email));
  if (criteria.tokenHash !== undefined) {
    const hash = criteria.tokenHash;
    query = query.where("users.id", "in", (expression) =>
      expression
        .selectFrom("tokens")
        .select("tokens.user_id")
        .where("tokens.kind", "=", "token")
        .where("tokens.hash", "=", hash),
    );
  }
  const rows = await query.execute();
  return rows.map((row) => ({ ...toUser(row), sealedToken: row.sealed }));
}

/** Changes a user's address. The caller has checked that the address is free. */
export async function setEmail(db: Connection, id: string, email: string): Promise<void> {
  await db
    .updateTable("users")
    .set({ email, email_key: emailKey(email) })
    .where("id", "=", id)
    .execute();
}

export async function setAdmin(db: Connection, id: string, isAdmin: boolean): Promise<void> {
  await db
    .updateTable("users")
    .set({ is_admin: isAdmin ? 1 : 0 })
    .where("id", "=", id)
    .execute();
}

/** Disables the user. Null enables the user again. Either decides about a user who waits for consent. */
export async function setDisabled(db: Connection, id: string, disabledAtMs: number | null): Promise<void> {
  await db
    .updateTable("users")
    .set({ disabled_at: disabledAtMs, asked_at: null })
    .where("id", "=", id)
    .execute();
}

/** Records that a disabled user waits for the consent of an administrator. */
export async function setWaiting(db: Connection, id: string, askedAtMs: number): Promise<void> {
  await db.updateTable("users").set({ asked_at: askedAtMs }).where("id", "=", id).execute();
}

/** Records that a user has removed a provider. */
export async function setUnlinked(db: Connection, id: string, atMs: number): Promise<void> {
  await db.updateTable("users").set({ unlinked_at: atMs }).where("id", "=", id).execute();
}

/** Returns whether the user has ever removed a provider. */
export async function hasUnlinked(db: Connection, id: string): Promise<boolean> {
  const row = await db.selectFrom("users").select("unlinked_at").where("id", "=", id).executeTakeFirst();
  return typeof row?.unlinked_at === "number";
}

/** Returns the ids of the users who wait for the consent of an administrator. */
export async function waitingUsers(db: Connection): Promise<ReadonlySet<string>> {
  const rows = await db.selectFrom("users").select("id").where("asked_at", "is not", null).execute();
  return new Set(rows.map(({ id }) => id));
}

/** Returns whether any user has this address, or is deleted and had it. */
export async function isEmailTaken(db: Connection, email: string): Promise<boolean> {
  const row = await db
    .selectFrom("users")
    .select("id")
    .where("email_key", "=", emailKey(email))
    .executeTakeFirst();
  return row !== undefined;
}

export function toUser(row: UserRow): User {
  return {
    id: row.id,
    email: row.email,
    isAdmin: row.is_admin === 1,
    disabledAtMs: row.disabled_at,
    createdAtMs: row.created_at,
  };
}
