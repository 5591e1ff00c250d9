import type { AccountServices } from "#operations/users/services";
import { changing, type Keyed } from "#operations/idempotency";
import { findUser, parseUserId, refuseLastAdmin } from "#operations/users/accounts";
import { hashToken, makeToken } from "#operations/users/token-shape";
import { crashPoint } from "#plumbing/crash-points";
import { Refusal } from "#plumbing/errors";
import { printable } from "#plumbing/text/printable";
import { limitsFrom, type TokenLimits } from "#operations/users/token-limits";
import { type Connection, transaction } from "#store/database/database";
import {
  insertToken,
  type ListedToken,
  listTokens,
  type ProviderSession,
  revokeOneToken,
  revokeTokens,
} from "#store/users/tokens";
import { maybeUser, maybeUserByEmail, type User } from "#store/users/users";
import type { TokenScope } from "#workflow/people/token-scope";

interface TokenToAdd {
  readonly userId: string;
  readonly token: string;
  /** Defaults to a new id. */
  readonly id?: string;
  readonly name?: string;
  /** Defaults to `everything`. */
  readonly scope?: TokenScope;
  /** If absent, the token never expires. */
  readonly expiresAtMs?: number | null;
  /** The provider that proved the user, and can end the token. */
  readonly openedBy?: ProviderSession;
}

/** Inserts a token for the user, in the caller's transaction. Returns false if any user has or had this token. */
export function addToken(
  context: Pick<AccountServices, "clock" | "random" | "tokenSeal">,
  db: Connection,
  {
    userId,
    token,
    id = context.random.uuid(),
    scope = "everything",
    expiresAtMs = null,
    ...added
  }: TokenToAdd,
): Promise<boolean> {
  const { name, openedBy } = added;
  return insertToken(db, {
    id,
    userId,
    kind: "token",
    name: name ?? null,
    hash: hashToken(token),
    sealed: context.tokenSeal.seal(token),
    scope,
    createdAtMs: context.clock.now(),
    expiresAtMs,
    // A token must not outlive the expiring token used to create it.
    issuesUntilMs: expiresAtMs,
    openedBy,
  });
}

export interface TokenWanted {
  /** Id or e-mail address. */
  readonly user: string;
  /** Revoke all older tokens. */
  readonly revokeOthers: boolean;
  readonly name?: string | undefined;
  readonly limits?: TokenLimits;
}

export interface IssuedToken {
  readonly id: string;
  readonly email: string;
  readonly token: string;
  readonly revoked: number;
}

type TokensContext = Pick<AccountServices, "db" | "clock" | "random" | "tokenSeal" | "keepAdminToken"> &
  Keyed;

/** Creates a new token for a user. Only the response shows the token on its own. */
export async function issueToken(context: TokensContext, wanted: TokenWanted): Promise<IssuedToken> {
  const token = makeToken(context.random);
  let hasEndedAdminTokens = false;
  const issued = await changing(context, async (db) => {
    const { id, email, isAdmin } = await findUser(db, wanted.user);
    const revoked = wanted.revokeOthers ? await revokeTokens(db, id, context.clock.now()) : 0;
    // 32 random bytes cannot be guessed: a token that is taken means a broken source of randomness.
    const { name, limits = {} } = wanted;
    const added = { userId: id, token, ...(name !== undefined && { name }), ...limitsFrom(context, limits) };
    if (!(await addToken(context, db, added))) throw new Error("A new random token was known already.");
    hasEndedAdminTokens = isAdmin && wanted.revokeOthers;
    return { id, email, token, revoked };
  });
  crashPoint("token-issued");
  if (hasEndedAdminTokens) await context.keepAdminToken?.();
  return issued;
}

/** Lists the active tokens and signed-in browsers of a user for the administrator, without the secrets. */
export async function listTokensOf(
  { db, clock }: Pick<AccountServices, "db" | "clock">,
  idOrEmail: string,
): Promise<ListedToken[]> {
  const { id } = await findUser(db, idOrEmail);
  return listTokens(db, id, clock.now());
}

/** Revokes a user's token, or signs a browser out, for the administrator. */
export async function revokeTokenOf(
  { db, clock, keepAdminToken }: Pick<AccountServices, "db" | "clock" | "keepAdminToken">,
  { user: idOrEmail, id }: { readonly user: string; readonly id: string },
): Promise<User> {
  const user = await findUser(db, idOrEmail);
  const isRevoked = await revokeOneToken(db, { userId: user.id, id }, clock.now());
  if (!isRevoked) {
    throw new Refusal(
      "absent",
      `${user.email} has no active token or session with the id ${printable(id, 100)}.`,
    );
  }
  crashPoint("token-revoked");
  if (user.isAdmin) await keepAdminToken?.();
  return user;
}

/** Revokes all tokens of a user: from the next request on they are refused. Sentences are REANA's. */
export async function revokeToken(
  { db, clock, keepAdminToken }: Pick<AccountServices, "db" | "clock" | "keepAdminToken">,
  { userId, email }: { readonly userId: string | undefined; readonly email: string | undefined },
): Promise<User> {
  if (!userId === !email) {
    throw new Refusal("malformed", "Exactly one of `user_id` or `email` must be provided.");
  }
  const user = await (userId ? maybeUser(db, parseUserId("user_id", userId)) : maybeUserByEmail(db, email!));
  if (!user) throw new Refusal("absent", "User not found.");
  const atMs = clock.now();
  const revoked = await transaction(db, async (tx) => {
    await refuseLastAdmin(tx, user, (address) => `The tokens of ${address} could not be revoked`);
    return revokeTokens(tx, user.id, atMs);
  });
  if (revoked === 0) throw new Refusal("absent", "No active token to revoke for the given user.");
  crashPoint("token-revoked");
  if (user.isAdmin) await keepAdminToken?.();
  return user;
}
