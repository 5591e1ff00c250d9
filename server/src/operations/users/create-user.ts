import { addToken } from "#operations/users/tokens";
import type { AccountServices } from "#operations/users/services";
import type { UserRecord } from "#operations/users/find-users";
import { changing, type Keyed } from "#operations/idempotency";
import { makeToken } from "#operations/users/token-shape";
import { crashPoint } from "#plumbing/crash-points";
import { Refusal } from "#plumbing/errors";
import { maybeReturnedUser } from "#store/users/deleted-users";
import { insertUser } from "#store/users/users";
import { isEmail } from "#workflow/people/email";

export interface NewUser {
  readonly email: string | undefined;
  /** Token for the user, taken as it is. If it is absent or empty, a token is generated. */
  readonly token?: string | undefined;
}

type CreateUserContext = Pick<AccountServices, "db" | "clock" | "random" | "tokenSeal"> & Keyed;

/** Creates a user. Restores a deleted user with the same address and kept runs. */
export async function createUser(context: CreateUserContext, input: NewUser): Promise<UserRecord> {
  const email = checkedEmail(input.email);
  const token = input.token || makeToken(context.random);
  const user = {
    id: context.random.uuid(),
    email,
    isAdmin: false,
    disabledAtMs: null,
    createdAtMs: context.clock.now(),
  };
  const created = await changing(context, async (db) => {
    const { id } = (await maybeReturnedUser(db, email)) ?? user;
    if (id === user.id && !(await insertUser(db, user))) {
      throw new Refusal(
        "conflict",
        `The user could not be created: e-mail ${email} belongs to another user already.`,
        { errorCode: "email-taken" },
      );
    }
    if (!(await addToken(context, db, { userId: id, token }))) {
      throw new Refusal(
        "conflict",
        `The user ${email} could not be created: that user_token is taken. Give another, or none to have one made.`,
        { errorCode: "token-taken" },
      );
    }
    return { id, email, accessToken: token };
  });
  crashPoint("user-created");
  return created;
}

function checkedEmail(email: string | undefined): string {
  if (!email)
    throw new Refusal("malformed", "The user could not be created: the query parameter email is missing.");
  if (isEmail(email)) return email;
  throw new Refusal("malformed", `The user could not be created: "${email}" is not a valid e-mail address.`);
}
