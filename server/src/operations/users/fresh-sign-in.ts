import type { AccountServices } from "#operations/users/services";
import { hashToken } from "#operations/users/token-shape";
import { Refusal } from "#plumbing/errors";
import { maybeMadeAtMs } from "#store/users/tokens";

/** Age of a session up to which its user counts as just signed in. */
const FRESH_MS = 15 * 60_000;

/**
 * Refuses to change the ways into an account for a session that is not new: somebody else may have taken the browser or
 * its cookie since. `failure` says what was not done.
 */
export async function refuseOldSignIn(
  { db, clock }: Pick<AccountServices, "db" | "clock">,
  secret: string,
  failure: string,
): Promise<void> {
  const madeAtMs = await maybeMadeAtMs(db, hashToken(secret));
  if (madeAtMs !== undefined && clock.now() - madeAtMs <= FRESH_MS) return;
  throw new Refusal(
    "forbidden",
    `${failure}: you signed in more than 15 minutes ago. Sign out and in again, then repeat it.`,
    { errorCode: "sign-in-too-old" },
  );
}
