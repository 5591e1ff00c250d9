import type { Connection } from "#store/database";
import { fixedQuery } from "#store/fixed-query";
import { toUser, type User } from "#store/users";

export interface NewToken {
  readonly id: string;
  readonly userId: string;
  readonly hash: string;
  readonly sealed: string;
  readonly createdAtMs: number;
}

/** A token's user, and whether the token has been revoked. */
export interface TokenOwner {
  readonly user: User;
  readonly revoked: boolean;
}

/** Returns false if the token exists already, for any user. */
export async function insertToken(db: Connection, token: NewToken): Promise<boolean> {
  const result = await db
    .insertInto("tokens")
    .values({
      id: token.id,
      user_id: token.userId,
      hash: token.hash,
      sealed: token.sealed,
      created_at: token.createdAtMs,
      revoked_at: null,
    })
    .onConflict((conflict) => conflict.column("hash").doNothing())
    .executeTakeFirst();
  return result.numInsertedOrUpdatedRows === 1n;
}

const tokenOwner = fixedQuery((db, { hash }: { hash: string }) =>
  db
    .selectFrom("tokens")
    .innerJoin("users", "users.id", "tokens.user_id")
    .select([
      "users.id",
      "users.email",
      "users.is_admin",
      "users.disabled_at",
      "users.created_at",
      "tokens.revoked_at",
    ])
    .where("tokens.hash", "=", hash),
);

/** Looks the token up by its hash, so that the comparison reveals nothing about a partly guessed token. */
export async function maybeTokenOwner(db: Connection, hash: string): Promise<TokenOwner | undefined> {
  const { rows } = await tokenOwner(db, { hash });
  const row = rows[0];
  return row && { user: toUser(row), revoked: row.revoked_at !== null };
}

/** Returns the hashes of the valid tokens: not revoked, and of users who are not disabled. */
export async function activeTokens(db: Connection, hashes: readonly string[]): Promise<ReadonlySet<string>> {
  if (hashes.length === 0) return new Set();
  const rows = await db
    .selectFrom("tokens")
    .innerJoin("users", "users.id", "tokens.user_id")
    .select("tokens.hash")
    .where("tokens.hash", "in", [...hashes])
    .where("tokens.revoked_at", "is", null)
    .where("users.disabled_at", "is", null)
    .execute();
  return new Set(rows.map((row) => row.hash));
}

/** Revokes all tokens of a user. Returns how many were active. */
export async function revokeTokens(db: Connection, userId: string, revokedAtMs: number): Promise<number> {
  const result = await db
    .updateTable("tokens")
    .set({ revoked_at: revokedAtMs })
    .where("user_id", "=", userId)
    .where("revoked_at", "is", null)
    .executeTakeFirst();
  return Number(result.numUpdatedRows);
}
