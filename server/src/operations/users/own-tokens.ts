import type { Caller } from "#operations/context";
import type { AccountServices } from "#operations/users/services";
import { changing, type Keyed } from "#operations/idempotency";
import { makeNamedToken, type NamedToken } from "#operations/users/named-token";
import type { TokenLimits } from "#operations/users/token-limits";
import { hashToken } from "#operations/users/token-shape";
import { crashPoint } from "#plumbing/crash-points";
import { Refusal } from "#plumbing/errors";
import { type ListedToken, listTokens, maybeTokenOwner, revokeOneToken } from "#store/users/tokens";

export type { ListedToken };

/** A token or session of the caller. `isCurrent`: the request itself was made with it. */
export interface OwnToken extends ListedToken {
  readonly isCurrent: boolean;
}

/** Lists the caller's active tokens and sessions, without the secrets. */
export async function listOwnTokens(
  context: Pick<AccountServices, "db" | "clock">,
  caller: Caller,
  secret: string,
): Promise<OwnToken[]> {
  const nowMs = context.clock.now();
  const current = await maybeTokenOwner(context.db, hashToken(secret), nowMs);
  const tokens = await listTokens(context.db, caller.id, nowMs);
  return tokens.map((token) => ({ ...token, isCurrent: token.id === current?.id }));
}

export interface NamedTokenWanted extends TokenLimits {
  readonly name: string;
  /**
   * The credential of the request. The token must not outlive it, unless the credential belongs to a session.
   */
  readonly issuer: string;
}

type OwnTokensContext = Pick<AccountServices, "db" | "clock" | "random" | "tokenSeal"> & Keyed;

/**
 * Creates a token for the caller, who chooses the name and limits. The token is shown only in this response.
 */
export async function issueOwnToken(
  context: OwnTokensContext,
  caller: Caller,
  { issuer, ...wanted }: NamedTokenWanted,
): Promise<NamedToken> {
  const issue = makeNamedToken(context, wanted);
  const issued = await changing(context, async (db) => {
    const owner = await maybeTokenOwner(db, hashToken(issuer), context.clock.now());
    return issue(db, { userId: caller.id, untilMs: owner?.issuesUntilMs ?? null });
  });
  crashPoint("token-issued");
  return issued;
}

/** Revokes a token or session of the caller: from the next request on it is refused. */
export async function revokeOwnToken(
  context: Pick<AccountServices, "db" | "clock">,
  caller: Caller,
  id: string,
): Promise<void> {
  const isRevoked = await revokeOneToken(context.db, { userId: caller.id, id }, context.clock.now());
  if (isRevoked) return crashPoint("token-revoked");
  throw new Refusal("absent", `You have no active token or session with the id ${id}.`);
}
