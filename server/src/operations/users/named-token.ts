import type { AccountServices } from "#operations/users/services";
import { addToken } from "#operations/users/tokens";
import { limitsFrom, mustEndBy, type TokenLimits } from "#operations/users/token-limits";
import { makeToken } from "#operations/users/token-shape";
import type { Connection } from "#store/database/database";
import type { TokenScope } from "#workflow/people/token-scope";

/** A token named and limited by its user. Only the response to its creation shows the token. */
export interface NamedToken {
  readonly id: string;
  readonly name: string;
  readonly token: string;
  readonly scope: TokenScope;
  readonly expiresAtMs: number | null;
}

interface Owner {
  readonly userId: string;
  /** Latest permitted end of the new token. Null if the creating credential never expires. */
  readonly untilMs: number | null;
}

/**
 * Makes a token, and returns a function to store it in a transaction: every attempt stores the same token.
 */
export function makeNamedToken(
  context: Pick<AccountServices, "clock" | "random" | "tokenSeal">,
  { name, ...wanted }: TokenLimits & { readonly name: string },
): (db: Connection, owner: Owner) => Promise<NamedToken> {
  const [id, token] = [context.random.uuid(), makeToken(context.random)];
  const { scope, expiresAtMs: wantedMs } = limitsFrom(context, wanted);
  return async (db, { userId, untilMs }) => {
    const expiresAtMs = wantedMs ?? untilMs;
    mustEndBy(expiresAtMs, untilMs);
    const issued = { id, name, token, scope, expiresAtMs };
    await addToken(context, db, { userId, ...issued });
    return issued;
  };
}
