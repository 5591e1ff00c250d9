import type { AccountServices } from "#operations/users/services";
import { parseUserId } from "#operations/users/accounts";
import { hashToken } from "#operations/users/token-shape";
import { Refusal } from "#plumbing/errors";
import { findUsers as readUsers } from "#store/users/users";

/** Criteria that must all match. An empty text counts as absent. */
export interface UserCriteria {
  readonly id?: string | undefined;
  readonly email?: string | undefined;
  readonly token?: string | undefined;
}

export interface UserRecord {
  readonly id: string;
  readonly email: string;
  /** The user's first active token; empty if all were revoked. */
  readonly accessToken: string;
}

/** Returns users with their tokens, for the administrator. Finding no user is a refusal, as in REANA. */
export async function findUsers(
  context: Pick<AccountServices, "db" | "tokenSeal">,
  criteria: UserCriteria,
): Promise<UserRecord[]> {
  const { id, email, token } = criteria;
  const users = await readUsers(context.db, {
    ...(id && { id: parseUserId("id_", id) }),
    ...(email && { email }),
    ...(token && { tokenHash: hashToken(token) }),
  });
  if (users.length === 0) throw new Refusal("absent", `User ${describe(criteria)} does not exist.`);
  return users.map((user) => ({
    id: user.id,
    email: user.email,
    accessToken: user.sealedToken === null ? "" : context.tokenSeal.open(user.sealedToken),
  }));
}

function describe(criteria: UserCriteria): string {
  if (criteria.id) return `with id ${criteria.id}`;
  return criteria.email ? `with e-mail ${criteria.email}` : "with this token";
}
