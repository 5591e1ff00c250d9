import type { Operations } from "#operations/context";
import { Refusal } from "#plumbing/errors";
import { hashToken } from "#operations/token-shape";
import { maybeBytesOfOwner } from "#operations/workspace-sizes";
import { cpuMsOfOwner } from "#store/totals";
import { maybeTokenOwner } from "#store/tokens";
import { maybeUser, maybeUserByEmail } from "#store/users";

type Context = Pick<Operations, "db" | "workspaces">;

/** What a user has used. There are no limits. */
export interface Quota {
  readonly cpuMs: number;
  /** Undefined when the files are too many to be looked at in passing. */
  readonly diskBytes: number | undefined;
}

/** Looking at so many takes about a second; nobody waits longer to be told who they are. */
const FILES_IN_PASSING = 100_000;

export async function getQuota(context: Context, userId: string): Promise<Quota> {
  return {
    cpuMs: await cpuMsOfOwner(context.db, userId),
    diskBytes: await maybeBytesOfOwner(context, userId, FILES_IN_PASSING),
  };
}

/** Exactly one of them names a user. */
export interface QuotaOwner {
  readonly userId: string | undefined;
  readonly email: string | undefined;
  readonly token: string | undefined;
}

/** The same of any user, for the administrator. */
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

async function findOwner({ db }: Pick<Operations, "db">, { userId, email, token }: QuotaOwner) {
  if (userId) return maybeUser(db, userId);
  if (email) return maybeUserByEmail(db, email);
  return (await maybeTokenOwner(db, hashToken(token!)))?.user;
}
