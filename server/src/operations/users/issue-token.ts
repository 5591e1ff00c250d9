import { addToken } from "#operations/users/add-token";
import type { Operations } from "#operations/context";
import { findUser } from "#operations/users/find-user";
import { changing, type Keyed } from "#operations/idempotency";
import { makeToken } from "#operations/users/token-shape";
import { crashPoint } from "#plumbing/crash-points";
import { revokeTokens } from "#store/tokens";

export interface TokenWanted {
  /** Id or e-mail address. */
  readonly user: string;
  /** Revoke all older tokens. */
  readonly revokeOthers: boolean;
}

export interface IssuedToken {
  readonly id: string;
  readonly email: string;
  readonly token: string;
  readonly revoked: number;
}

type Context = Pick<Operations, "db" | "clock" | "random" | "tokenSeal"> & Keyed;

/** Issues a new token for a user. This is the only time it is shown on its own. */
export async function issueToken(context: Context, wanted: TokenWanted): Promise<IssuedToken> {
  const token = makeToken(context.random);
  const issued = await changing(context, async (db) => {
    const { id, email } = await findUser(db, wanted.user);
    const revoked = wanted.revokeOthers ? await revokeTokens(db, id, context.clock.now()) : 0;
    // 32 random bytes cannot be guessed: a token that is taken means a broken source of randomness.
    if (!(await addToken(context, db, id, token))) throw new Error("A new random token was known already.");
    return { id, email, token, revoked };
  });
  crashPoint("token-issued");
  return issued;
}
