import { addToken } from "#operations/users/add-token";
import type { Operations } from "#operations/context";
import type { UserRecord } from "#operations/users/find-users";
import type { Keep } from "#operations/kept-answers";
import { makeToken } from "#operations/users/token-shape";
import { crashPoint } from "#plumbing/crash-points";
import { Refusal } from "#plumbing/errors";
import { transaction } from "#store/database";
import { insertUser } from "#store/users";
import { isEmail } from "#workflow/email";

export interface NewUser {
  readonly email: string | undefined;
  /** Token for the user, taken as it is. If it is absent or empty, a token is generated. */
  readonly token?: string | undefined;
  readonly keep?: Keep<UserRecord> | undefined;
}

type Context = Pick<Operations, "db" | "clock" | "random" | "tokenSeal">;

export async function createUser(context: Context, input: NewUser): Promise<UserRecord> {
  const email = checkedEmail(input.email);
  const token = input.token || makeToken(context.random);
  const id = context.random.uuid();
  const user = { id, email, isAdmin: false, disabledAtMs: null, createdAtMs: context.clock.now() };
  const record = { id, email, accessToken: token };
  await transaction(context.db, async (db) => {
    if (!(await insertUser(db, user))) {
      throw new Refusal(
        "conflict",
        `The user could not be created: e-mail ${email} belongs to another user already.`,
        { errorCode: "email-taken" },
      );
    }
    if (!(await addToken(context, db, id, token))) {
      throw new Refusal(
        "conflict",
        `The user ${email} could not be created: that user_token is taken. Give another, or none to have one made.`,
        { errorCode: "token-taken" },
      );
    }
    await input.keep?.(db, record);
  });
  crashPoint("user-created");
  return record;
}

function checkedEmail(email: string | undefined): string {
  if (!email)
    throw new Refusal("malformed", "The user could not be created: the query parameter email is missing.");
  if (isEmail(email)) return email;
  throw new Refusal("malformed", `The user could not be created: "${email}" is not a valid e-mail address.`);
}
