import type { Operations } from "#operations/context";
import { parseUserId } from "#operations/users/find-user";
import { Refusal } from "#plumbing/errors";
import { revokeTokens } from "#store/tokens";
import { maybeUser, maybeUserByEmail, type User } from "#store/users";

/** Revokes all tokens of a user: from the next request on they are refused. Sentences are REANA's. */
export async function revokeToken(
  { db, clock }: Pick<Operations, "db" | "clock">,
  { userId, email }: { readonly userId: string | undefined; readonly email: string | undefined },
): Promise<User> {
  if (!userId === !email) {
    throw new Refusal("malformed", "Exactly one of `user_id` or `email` must be provided.");
  }
  const user = await (userId ? maybeUser(db, parseUserId("user_id", userId)) : maybeUserByEmail(db, email!));
  if (!user) throw new Refusal("absent", "User not found.");
  if (user.isAdmin) {
    throw new Refusal(
      "conflict",
      `The tokens of ${user.email} could not be revoked: this server would have no administrator.`,
    );
  }
  if ((await revokeTokens(db, user.id, clock.now())) > 0) return user;
  throw new Refusal("absent", "No active token to revoke for the given user.");
}
