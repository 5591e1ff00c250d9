import type { Caller } from "#operations/context";
import type { AccountServices } from "#operations/users/services";
import { isProven, type PageProof } from "#operations/users/page-proof";
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
export type Credential =
  | { readonly kind: "cookie"; readonly secret: string }
  | { readonly kind: "token"; readonly secret: string }
  | { readonly kind: "session"; readonly secret: string; readonly proof: PageProof | undefined };

/**
 * Returns the user with a credential. The credential is looked up for each request, so revoking and disabling
 * apply at once. A session is not accepted as a token, nor a token as a session: a leaked cookie works
 * nowhere else. A session without the proof of its page is unknown.
 */
export async function signIn(
  context: Pick<AccountServices, "db" | "clock">,
  credential: Credential,
): Promise<SignedIn | SignInFailure> {
  const { kind, secret } = credential;
  const nowMs = context.clock.now();
  const owner = await maybeTokenOwner(context.db, hashToken(secret), nowMs);
  if (owner?.kind !== kind) return "unknown";
  if (kind === "session" && !isProven(credential.proof, owner.pageKeyHash, nowMs)) return "unknown";
  return owner.refusal ?? { caller: owner.user, scope: owner.scope };
}
