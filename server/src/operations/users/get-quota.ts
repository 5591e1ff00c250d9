import type { AccountServices } from "#operations/users/services";
import { parseUserId } from "#operations/users/accounts";
import type { Quota } from "#operations/quota/quotas";
import { Refusal } from "#plumbing/errors";
import { hashToken } from "#operations/users/token-shape";
import { maybeTokenOwner } from "#store/users/tokens";
import { maybeUser, maybeUserByEmail, type User } from "#store/users/users";

/** Names a user by exactly one of the three. */
export interface QuotaOwner {
  readonly userId: string | undefined;
  readonly email: string | undefined;
  readonly token: string | undefined;
}

/** Returns the quota of any user, for the administrator. */
export async function getQuotaOf(
  context: Pick<AccountServices, "db" | "clock" | "quotas">,
  wanted: QuotaOwner,
): Promise<Quota> {
  return context.quotas.of((await oneQuotaOwner(context, wanted)).id);
}

/** Returns the user that a request about a quota names. */
export async function oneQuotaOwner(
  context: Pick<AccountServices, "db" | "clock">,
  wanted: QuotaOwner,
): Promise<User> {
  const given = Object.values(wanted).filter((value) => value !== undefined && value !== "");
  if (given.length === 0) throw new Refusal("malformed", "No user specified");
  if (given.length > 1) {
    throw new Refusal("malformed", "Give exactly one of user_id, email and user_access_token.");
  }
  const user = await findOwner(context, wanted);
  if (!user) throw new Refusal("absent", "User not found.");
  return user;
}

async function findOwner(
  { db, clock }: Pick<AccountServices, "db" | "clock">,
  { userId, email, token }: QuotaOwner,
) {
  if (userId) return maybeUser(db, parseUserId("user_id", userId));
  if (email) return maybeUserByEmail(db, email);
  return (await maybeTokenOwner(db, hashToken(token!), clock.now()))?.user;
}
