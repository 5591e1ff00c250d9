import type { AccountServices } from "#operations/users/services";
import { changing, type Keyed } from "#operations/idempotency";
import { insertCode, type IssuedCode } from "#operations/users/sessions";
import { makeNamedToken, type NamedToken } from "#operations/users/named-token";
import type { TokenLimits } from "#operations/users/token-limits";
import { hashToken } from "#operations/users/token-shape";
import { DAY_MS } from "#plumbing/clock";
import { crashPoint } from "#plumbing/crash-points";
import { Refusal } from "#plumbing/errors";
import type { Connection } from "#store/database/database";
import { maybeReturnedUser } from "#store/users/deleted-users";
import { maybeRedeemCode } from "#store/users/tokens";
import { insertUser, maybeUser, maybeUserByEmail, type User } from "#store/users/users";
import { isEmail } from "#workflow/people/email";

/** Lifetime of an invitation, which works once: a colleague may be away for some days. */
const INVITATION_LIFE_MS = 7 * DAY_MS;

type InvitationContext = Pick<AccountServices, "db" | "clock" | "random" | "tokenSeal">;

export interface Invitation extends IssuedCode {
  readonly id: string;
  readonly email: string;
}

/**
 * Invites a user, who is created if the address is new: with a code that opens one session or issues one token, and
 * without a token that the administrator would know. A user who has lost every token is invited again.
 */
export async function inviteUser(context: InvitationContext & Keyed, email: string): Promise<Invitation> {
  if (!isEmail(email))
    throw new Refusal(
      "malformed",
      `Nobody could be invited: "${email.slice(0, 254)}" is not a valid e-mail address.`,
    );
  const expiresAtMs = context.clock.now() + INVITATION_LIFE_MS;
  const invitation = await changing(context, async (db) => {
    const user = await findOrInsert(context, db, email);
    if (user.disabledAtMs !== null) {
      throw new Refusal(
        "conflict",
        `User ${user.email} could not be invited: the user is disabled. Enable it first.`,
      );
    }
    const code = await insertCode(context, db, { userId: user.id, expiresAtMs, issuesUntilMs: null });
    return { id: user.id, email: user.email, code, expiresAtMs };
  });
  crashPoint("user-invited");
  return invitation;
}

async function findOrInsert(context: InvitationContext, db: Connection, email: string): Promise<User> {
  const known = (await maybeUserByEmail(db, email)) ?? (await maybeReturnedUser(db, email));
  if (known) return known;
  const { random, clock } = context;
  const user = { id: random.uuid(), email, isAdmin: false, disabledAtMs: null, createdAtMs: clock.now() };
  if (await insertUser(db, user)) return user;
  throw new Refusal("conflict", `The user ${email} was created at the same time. Invite the user again.`);
}

export interface RedeemInput extends TokenLimits {
  readonly code: string;
  readonly name: string;
}

/** Issues a token for a sign-in code, which is used up. This is the only time the token is shown. */
export async function redeemCode(
  context: InvitationContext,
  { code, ...wanted }: RedeemInput,
): Promise<NamedToken> {
  const issue = makeNamedToken(context, wanted);
  const issued = await changing(context, async (db) => {
    const redeemed = await maybeRedeemCode(db, hashToken(code), context.clock.now());
    const user = redeemed && (await maybeUser(db, redeemed.userId));
    if (user?.disabledAtMs !== null) throw unusable();
    return issue(db, { userId: user.id, untilMs: redeemed!.issuesUntilMs });
  });
  crashPoint("code-redeemed");
  return issued;
}

function unusable(): Refusal {
  return new Refusal(
    "forbidden",
    "This code cannot be used: a code works once, and not for long. Ask the server's administrator for another.",
  );
}
