import type { Connection } from "#store/database/database";
import { fixedQuery } from "#store/database/fixed-query";
import type { Person } from "#store/users/identities";
import { toUser, type User } from "#store/users/users";
import type { TokenScope } from "#workflow/people/token-scope";

/**
 * `token`: for programs. `session`: a signed-in browser. `cookie`: a browser that REANA's web page signed in, without a
 * page key. `code`: opens one session.
 */
export type TokenKind = "token" | "session" | "cookie" | "code";

export interface NewToken {
  readonly id: string;
  readonly userId: string;
  readonly kind: TokenKind;
  readonly name: string | null;
  readonly hash: string;
  /** Set for sessions: the hash of the half that the page keeps. */
  readonly pageKeyHash?: string;
  /** Null for sessions and codes, which no list shows. */
  readonly sealed: string | null;
  readonly createdAtMs: number;
  readonly scope: TokenScope;
  /** Time of expiry, exclusive. Null if the token never expires. */
  readonly expiresAtMs: number | null;
  /** Latest end of tokens, codes and sessions created with this token. Null if unlimited. */
  readonly issuesUntilMs: number | null;
  /** Set for sessions, and tokens of devices, that a provider of sign-in opened. */
  readonly openedBy?: ProviderSession | undefined;
}

/** A person at a provider of sign-in, and the person's session there, if the provider named it. */
export interface ProviderSession extends Person {
  readonly session: string | null;
}

/** Why a known token does not sign its user in. */
export type TokenRefusal = "revoked" | "disabled" | "expired";

/** A token's user. `refusal` is undefined if the token is active. */
export interface TokenOwner {
  readonly id: string;
  readonly kind: TokenKind;
  readonly scope: TokenScope;
  readonly expiresAtMs: number | null;
  readonly issuesUntilMs: number | null;
  /** Null for everything but sessions. */
  readonly pageKeyHash: string | null;
  readonly user: User;
  readonly refusal: TokenRefusal | undefined;
}

interface TokenState {
  readonly revoked_at: number | null;
  readonly disabled_at: number | null;
  readonly expires_at: number | null;
}

/** The one rule of which tokens are active: not revoked, not expired, and of users who are not disabled. */
function refusalOf(row: TokenState, nowMs: number): TokenRefusal | undefined {
  if (row.revoked_at !== null) return "revoked";
  if (row.expires_at !== null && row.expires_at <= nowMs) return "expired";
  return row.disabled_at === null ? undefined : "disabled";
}

/** Returns false if the token or its id exists already, for any user. */
export async function insertToken(db: Connection, token: NewToken): Promise<boolean> {
  const result = await db
    .insertInto("tokens")
    .values({
      id: token.id,
      user_id: token.userId,
      hash: token.hash,
      kind: token.kind,
      name: token.name,
      sealed: token.sealed,
      scope: token.scope,
      created_at: token.createdAtMs,
      expires_at: token.expiresAtMs,
      issues_until: token.issuesUntilMs,
      page_key_hash: token.pageKeyHash ?? null,
      issuer: token.openedBy?.issuer ?? null,
      subject: token.openedBy?.subject ?? null,
      provider_session: token.openedBy?.session ?? null,
      revoked_at: null,
    })
    .onConflict((conflict) => conflict.doNothing())
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
      "tokens.id as token_id",
      "tokens.kind",
      "tokens.scope",
      "tokens.expires_at",
      "tokens.issues_until",
      "tokens.page_key_hash",
      "tokens.revoked_at",
    ])
    .where("tokens.hash", "=", hash),
);

/** Looks the token up by hash, so the comparison reveals nothing about a partly guessed token. */
export async function maybeTokenOwner(
  db: Connection,
  hash: string,
  nowMs: number,
): Promise<TokenOwner | undefined> {
  const { rows } = await tokenOwner(db, { hash });
  const row = rows[0];
  return (
    row && {
      id: row.token_id,
      kind: row.kind as TokenKind,
      scope: row.scope,
      expiresAtMs: row.expires_at,
      issuesUntilMs: row.issues_until,
      pageKeyHash: row.page_key_hash,
      user: toUser(row),
      refusal: refusalOf(row, nowMs),
    }
  );
}

/** Returns when a token or a session was made. */
export async function maybeMadeAtMs(db: Connection, hash: string): Promise<number | undefined> {
  const row = await db.selectFrom("tokens").select("created_at").where("hash", "=", hash).executeTakeFirst();
  return row?.created_at;
}

/** Returns the hashes of the active tokens among the given hashes. */
export async function activeTokens(
  db: Connection,
  hashes: readonly string[],
  nowMs: number,
): Promise<ReadonlySet<string>> {
  if (hashes.length === 0) return new Set();
  const rows = await db
    .selectFrom("tokens")
    .innerJoin("users", "users.id", "tokens.user_id")
    .select(["tokens.hash", "tokens.revoked_at", "tokens.expires_at", "users.disabled_at"])
    .where("tokens.hash", "in", [...hashes])
    .execute();
  return new Set(rows.filter((row) => refusalOf(row, nowMs) === undefined).map((row) => row.hash));
}

/** Revokes all tokens, sessions and codes of a user. Returns how many tokens were active. */
export async function revokeTokens(db: Connection, userId: string, revokedAtMs: number): Promise<number> {
  const revoked = await db
    .updateTable("tokens")
    .set({ revoked_at: revokedAtMs })
    .where("user_id", "=", userId)
    .where("revoked_at", "is", null)
    .returning("kind")
    .execute();
  return revoked.filter(({ kind }) => kind === "token").length;
}

/** Revokes one token of a user. Returns false if the user has no active token of that id. */
export async function revokeOneToken(
  db: Connection,
  { userId, id }: { readonly userId: string; readonly id: string },
  revokedAtMs: number,
): Promise<boolean> {
  const result = await db
    .updateTable("tokens")
    .set({ revoked_at: revokedAtMs })
    .where("user_id", "=", userId)
    .where("id", "=", id)
    .where("revoked_at", "is", null)
    .executeTakeFirst();
  return result.numUpdatedRows === 1n;
}

/** Sessions of a provider: of a person, of one session there, or of both. */
export interface EndedSessions {
  readonly issuer: string;
  readonly subject: string | undefined;
  readonly session: string | undefined;
  /** Sessions that were opened later stay. */
  readonly openedUntilMs: number;
}

/** Revokes sessions opened by a provider. Returns the number of sessions. */
export async function revokeProviderSessions(
  db: Connection,
  { issuer, subject, session, openedUntilMs }: EndedSessions,
  revokedAtMs: number,
): Promise<number> {
  let query = db
    .updateTable("tokens")
    .set({ revoked_at: revokedAtMs })
    .where("issuer", "=", issuer)
    .where("created_at", "<=", openedUntilMs)
    .where("revoked_at", "is", null);
  if (subject !== undefined) query = query.where("subject", "=", subject);
  if (session !== undefined) query = query.where("provider_session", "=", session);
  return Number((await query.executeTakeFirst()).numUpdatedRows);
}

/** Sessions of a user that a person at a provider opened. */
export interface SessionsOfPerson extends Person {
  readonly userId: string;
  /** The hash of a session that stays. If absent, all end. */
  readonly exceptHash?: string;
}

/** Returns whether a person has an active session or token that the provider opened. */
export async function hasSessionOf(
  db: Connection,
  { issuer, subject }: Person,
  nowMs: number,
): Promise<boolean> {
  const row = await db
    .selectFrom("tokens")
    .select("id")
    .where("issuer", "=", issuer)
    .where("subject", "=", subject)
    .where("revoked_at", "is", null)
    .where((is) => is.or([is("expires_at", "is", null), is("expires_at", ">", nowMs)]))
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** Revokes the sessions that a person opened in the account of a user. Returns their number. */
export async function revokeSessionsOfPerson(
  db: Connection,
  { issuer, subject, userId, exceptHash = "" }: SessionsOfPerson,
  revokedAtMs: number,
): Promise<number> {
  const result = await db
    .updateTable("tokens")
    .set({ revoked_at: revokedAtMs })
    .where("user_id", "=", userId)
    .where("issuer", "=", issuer)
    .where("subject", "=", subject)
    .where("hash", "!=", exceptHash)
    .where("revoked_at", "is", null)
    .executeTakeFirst();
  return Number(result.numUpdatedRows);
}

/** Purpose of a sign-in code. */
export interface RedeemedCode extends Pick<NewToken, "userId" | "scope" | "issuesUntilMs"> {}

/** Uses a sign-in code up. Returns undefined if it is unknown, used or expired. */
export async function maybeRedeemCode(
  db: Connection,
  hash: string,
  nowMs: number,
): Promise<RedeemedCode | undefined> {
  const row = await db
    .updateTable("tokens")
    .set({ revoked_at: nowMs })
    .where("hash", "=", hash)
    .where("kind", "=", "code")
    .where("revoked_at", "is", null)
    .where("expires_at", ">", nowMs)
    .returning(["user_id", "scope", "issues_until"])
    .executeTakeFirst();
  return row && { userId: row.user_id, scope: row.scope, issuesUntilMs: row.issues_until };
}

/** Deletes expired sessions and codes. Expired tokens stay known, so users learn the reason for a refusal. */
export async function forgetExpiredTokens(db: Connection, nowMs: number): Promise<void> {
  await db.deleteFrom("tokens").where("expires_at", "<=", nowMs).where("kind", "!=", "token").execute();
}

export interface ListedToken {
  readonly id: string;
  readonly kind: TokenKind;
  readonly name: string | null;
  readonly scope: TokenScope;
  readonly createdAtMs: number;
  readonly expiresAtMs: number | null;
}

/** Returns the user's active tokens and sessions, the oldest first. */
export async function listTokens(db: Connection, userId: string, nowMs: number): Promise<ListedToken[]> {
  const rows = await db
    .selectFrom("tokens")
    .select(["id", "kind", "name", "scope", "created_at", "expires_at"])
    .where("user_id", "=", userId)
    .where("kind", "!=", "code")
    .where("revoked_at", "is", null)
    .where((is) => is.or([is("expires_at", "is", null), is("expires_at", ">", nowMs)]))
    .orderBy("created_at")
    .orderBy("id")
    .execute();
  return rows.map((row) => ({
    id: row.id,
    kind: row.kind as TokenKind,
    name: row.name,
    scope: row.scope,
    createdAtMs: row.created_at,
    expiresAtMs: row.expires_at,
  }));
}
