import type { Connection } from "#store/database/database";
import { fixedQuery } from "#store/database/fixed-query";
import { toUser, type User } from "#store/users/users";

export interface NewToken {
  readonly id: string;
  readonly userId: string;
  readonly hash: string;
  readonly sealed: string;
  readonly createdAtMs: number;
}

/** Why a known token does not sign its user in. */
export type TokenRefusal = "revoked" | "disabled";

/** A token's user. `refusal` is undefined if the token is active. */
export interface TokenOwner {
  readonly user: User;
  readonly refusal: TokenRefusal | undefined;
}

/** The one rule of which tokens are active: those that are not revoked, of users who are not disabled. */
function refusalOf(row: {
  readonly revoked_at: number | null;
  readonly disabled_at: number | null;
}): TokenRefusal | undefined {
  if (row.revoked_at !== null) return "revoked";
  return row.disabled_at === null ? undefined : "disabled";
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
  return row && { user: toUser(row), refusal: refusalOf(row) };
}

/** Returns the hashes of those tokens that are active. */
export async function activeTokens(db: Connection, hashes: readonly string[]): Promise<ReadonlySet<string>> {
  if (hashes.length === 0) return new Set();
  const rows = await db
    .selectFrom("tokens")
    .innerJoin("users", "users.id", "tokens.user_id")
    .select(["tokens.hash", "tokens.revoked_at", "users.disabled_at"])
    .where("tokens.hash", "in", [...hashes])
    .execute();
  return new Set(rows.filter((row) => refusalOf(row) === undefined).map((row) => row.hash));
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
