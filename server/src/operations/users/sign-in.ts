import type { Caller, Operations } from "#operations/context";
import { hashToken } from "#operations/users/token-shape";
import { maybeTokenOwner, type TokenRefusal } from "#store/users/tokens";
import type { TokenScope } from "#workflow/people/token-scope";

/** Reason why a token is refused. `unknown`: no user has or had it. */
export type SignInFailure = "unknown" | TokenRefusal;

export interface SignedIn {
  readonly caller: Caller;
  readonly scope: TokenScope;
}

/** The secret that a request carries: an access token, or the session of a signed-in browser. */
export interface Credential {
  readonly kind: "token" | "session";
  readonly secret: string;
}

/**
 * Returns the user with this credential. It is looked up each time, so that revoking and disabling apply from the next
 * request on. A session is no token and the reverse: a cookie that leaks from one place opens no other.
 */
export async function signIn(
  context: Pick<Operations, "db" | "clock">,
  { kind, secret }: Credential,
): Promise<SignedIn | SignInFailure> {
  const owner = await maybeTokenOwner(context.db, hashToken(secret), context.clock.now());
  if (owner?.kind !== kind) return "unknown";
  return owner.refusal ?? { caller: owner.user, scope: owner.scope };
}
