import type { Caller, Operations } from "#operations/context";
import { hashToken } from "#operations/users/token-shape";
import { maybeTokenOwner, type TokenRefusal } from "#store/users/tokens";

/** Reason why a token is refused. `unknown`: no user has or had it. */
export type SignInFailure = "unknown" | TokenRefusal;

/**
 * Returns the user with this token. It is looked up each time, so that revoking and disabling apply from the next
 * request on.
 */
export async function signIn(
  context: Pick<Operations, "db">,
  token: string,
): Promise<Caller | SignInFailure> {
  const owner = await maybeTokenOwner(context.db, hashToken(token));
  if (!owner) return "unknown";
  return owner.refusal ?? owner.user;
}
