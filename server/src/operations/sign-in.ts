import type { Caller, Operations } from "#operations/context";
import { hashToken } from "#operations/token-shape";
import { maybeTokenOwner } from "#store/tokens";

/** Why a token does not open anything. `unknown`: it is, or was, nobody's. */
export type SignInFailure = "unknown" | "revoked" | "disabled";

/** Who shows this token: one look-up, and never remembered, so that revoking and disabling hold from the next request on. */
export async function signIn(
  context: Pick<Operations, "db">,
  token: string,
): Promise<Caller | SignInFailure> {
  const owner = await maybeTokenOwner(context.db, hashToken(token));
  if (!owner) return "unknown";
  if (owner.revoked) return "revoked";
  if (owner.user.disabledAtMs !== null) return "disabled";
  return owner.user;
}
