import { addToken } from "#operations/users/tokens";
import type { AccountServices } from "#operations/users/services";
import { hashToken, makeToken } from "#operations/users/token-shape";
import { Refusal } from "#plumbing/errors";
import { type Connection, transaction } from "#store/database/database";
import { maybeTokenOwner } from "#store/users/tokens";
import { findUsers, insertUser, maybeAdmin, maybeUserByEmail, setEmail, type User } from "#store/users/users";

export interface AdministratorWanted {
  /**
   * E-mail address. A new address replaces the old address. Optional: if absent, the address stays, or is
   * `admin@localhost`.
   */
  readonly email: string | undefined;
  /**
   * Added to the administrator's tokens. Optional: if absent, a token is generated unless the administrator
   * has a token.
   */
  readonly token: string | undefined;
}

type AdministratorContext = Pick<AccountServices, "db" | "clock" | "random" | "tokenSeal">;

const DEFAULT_EMAIL = "admin@localhost";

/**
 * Ensures that an administrator with an active token exists, and returns both. Safe for concurrent starts.
 */
export async function makeAdministrator(
  context: AdministratorContext,
  wanted: AdministratorWanted,
): Promise<{ readonly admin: User; readonly token: string }> {
  return transaction(context.db, async (db) => {
    const known = await maybeAdminNamed(db, wanted.email);
    const admin = known
      ? await withEmail(db, known, wanted.email ?? known.email)
      : await insertAdmin(context, db, wanted.email ?? DEFAULT_EMAIL);
    const token =
      wanted.token === undefined
        ? await anyToken(context, db, admin)
        : await thisToken(context, db, admin, wanted.token);
    return { admin, token };
  });
}

/**
 * Returns the administrator with the given address. Otherwise returns the oldest administrator, whose address
 * changes.
 */
async function maybeAdminNamed(db: Connection, email: string | undefined): Promise<User | undefined> {
  const named = email === undefined ? undefined : await maybeUserByEmail(db, email);
  return named?.isAdmin && named.disabledAtMs === null ? named : maybeAdmin(db);
}

async function insertAdmin(context: AdministratorContext, db: Connection, email: string): Promise<User> {
  const { random, clock } = context;
  const user = { id: random.uuid(), email, isAdmin: true, disabledAtMs: null, createdAtMs: clock.now() };
  if (await insertUser(db, user)) return user;
  // Another start was faster, or the address belongs to a user who must not become administrator unasked.
  const known = await maybeUserByEmail(db, email);
  if (known?.isAdmin) return known;
  throw addressTaken("The administrator could not be made", email);
}

async function withEmail(db: Connection, admin: User, email: string): Promise<User> {
  if (email === admin.email) return admin;
  const owner = await maybeUserByEmail(db, email);
  if (owner && owner.id !== admin.id) {
    throw addressTaken(`The administrator's address ${admin.email} could not be changed`, email);
  }
  await setEmail(db, admin.id, email);
  return { ...admin, email };
}

function addressTaken(failure: string, email: string): Refusal {
  const reason = `${email} belongs to another user`;
  return new Refusal("conflict", `${failure}: ${reason}. Choose another address with --admin-email.`);
}

async function anyToken(context: AdministratorContext, db: Connection, admin: User): Promise<string> {
  const [known] = await findUsers(db, { id: admin.id });
  if (known?.sealedToken) return context.tokenSeal.open(known.sealedToken);
  const token = makeToken(context.random);
  await addToken(context, db, { userId: admin.id, token });
  return token;
}

async function thisToken(
  context: AdministratorContext,
  db: Connection,
  admin: User,
  token: string,
): Promise<string> {
  if (await addToken(context, db, { userId: admin.id, token })) return token;
  const owner = await maybeTokenOwner(db, hashToken(token), context.clock.now());
  if (owner?.user.id === admin.id && owner.refusal !== "revoked") return token;
  const reason = owner?.user.id === admin.id ? "it was revoked" : "it belongs to another user";
  throw new Refusal(
    "conflict",
    `The token given for the administrator cannot be used: ${reason}. Choose another one.`,
  );
}
