import type { Operations } from "#operations/context";
import { parseUserId } from "#operations/users/accounts";
import { Refusal } from "#plumbing/errors";
import { hashToken } from "#operations/users/token-shape";
import { maybeBytesOfOwner } from "#operations/files/disk-usage";
import { cpuMsOfOwner } from "#store/runs/totals";
import { maybeTokenOwner } from "#store/users/tokens";
import { maybeUser, maybeUserByEmail } from "#store/users/users";

type Context = Pick<Operations, "db" | "clock" | "workspaces">;

/** Resources that a user has used. There are no limits. */
export interface Quota {
  readonly cpuMs: number;
  /** Undefined if there are too many files to count in a request. */
  readonly diskBytes: number | undefined;
}

/** Number of files that can be counted in about a second. A request for the signed-in user must not take longer. */
const FILES_IN_PASSING = 100_000;

export async function getQuota(context: Context, userId: string): Promise<Quota> {
  return {
    cpuMs: await cpuMsOfOwner(context.db, userId),
    diskBytes: await maybeBytesOfOwner(context, userId, FILES_IN_PASSING),
  };
}

/** Names a user by exactly one of the three. */
export interface QuotaOwner {
  readonly userId: string | undefined;
  readonly email: string | undefined;
  readonly token: string | undefined;
}

/** Returns the usage of any user, for the administrator. */
export async function getQuotaOf(context: Context, wanted: QuotaOwner): Promise<Quota> {
  const given = Object.values(wanted).filter((value) => value !== undefined && value !== "");
  if (given.length === 0) throw new Refusal("malformed", "No user specified");
  if (given.length > 1) {
    throw new Refusal("malformed", "Give exactly one of user_id, email and user_access_token.");
  }
  const user = await findOwner(context, wanted);
  if (!user) throw new Refusal("absent", "User not found.");
  return getQuota(context, user.id);
}

async function findOwner(
  { db, clock }: Pick<Operations, "db" | "clock">,
  { userId, email, token }: QuotaOwner,
) {
  if (userId) return maybeUser(db, parseUserId("user_id", userId));
  if (email) return maybeUserByEmail(db, email);
  return (await maybeTokenOwner(db, hashToken(token!), clock.now()))?.user;
}
