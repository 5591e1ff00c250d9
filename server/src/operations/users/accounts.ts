import type { AccountServices } from "#operations/users/services";
import { crashPoint } from "#plumbing/crash-points";
import { Refusal } from "#plumbing/errors";
import { isUuid } from "#plumbing/ids";
import { type Connection, transaction } from "#store/database/database";
import { askingProviders } from "#store/users/identities";
import {
  findUsers,
  hasOtherAdmin,
  maybeUser,
  maybeUserByEmail,
  setAdmin,
  setDisabled,
  type User,
  waitingUsers,
} from "#store/users/users";

/** Returns the id as the database has it. `field` names the parameter in the refusal. */
export function parseUserId(field: string, id: string): string {
  if (isUuid(id)) return id.toLowerCase();
  throw new Refusal("malformed", `The ${field} "${id}" is not valid: it must be a UUID.`);
}

/** Returns the user with this id or e-mail address. */
export async function findUser(db: Connection, idOrEmail: string): Promise<User> {
  const isId = isUuid(idOrEmail);
  const user = isId ? await maybeUser(db, idOrEmail.toLowerCase()) : await maybeUserByEmail(db, idOrEmail);
  if (user) return user;
  throw new Refusal("absent", `User with ${isId ? "id" : "e-mail"} ${idOrEmail} does not exist.`);
}

export interface ListedUser extends User {
  /** True if the user, disabled, waits for the consent of an administrator. Enabling the user gives the consent. */
  readonly isWaiting: boolean;
  /** Name of the provider that asks to open the account. */
  readonly askingProvider: string | undefined;
}

/** Lists all users for the administrator, without tokens, in the order of creation. */
export async function listUsers({ db }: Pick<AccountServices, "db">): Promise<ListedUser[]> {
  const [users, waiting] = [await findUsers(db, {}), await waitingUsers(db)];
  const asking = await askingProviders(db);
  return users.map(({ sealedToken: _, ...user }) => ({
    ...user,
    isWaiting: waiting.has(user.id),
    askingProvider: asking.get(user.id),
  }));
}

/**
 * Disables a user, or refuses a user who waits for consent. The user's tokens are refused from the next request on. Live runs continue. Disabling a
 * disabled user is not an error.
 */
export async function disableUser(
  context: Pick<AccountServices, "db" | "clock" | "keepAdminToken">,
  idOrEmail: string,
): Promise<User> {
  const atMs = context.clock.now();
  const user = await transaction(context.db, async (db) => {
    const found = await findUser(db, idOrEmail);
    await refuseLastAdmin(db, found, (email) => `User ${email} could not be disabled`);
    const disabledAtMs = found.disabledAtMs ?? atMs;
    await setDisabled(db, found.id, disabledAtMs);
    return { ...found, disabledAtMs };
  });
  crashPoint("user-disabled");
  if (user.isAdmin) await context.keepAdminToken?.();
  return user;
}

/** Refuses what would leave the server without an administrator who may sign in. */
export async function refuseLastAdmin(
  db: Connection,
  user: Pick<User, "id" | "email" | "isAdmin">,
  failure: (email: string) => string,
): Promise<void> {
  if (!user.isAdmin || (await hasOtherAdmin(db, user.id))) return;
  throw new Refusal("conflict", `${failure(user.email)}: this server would have no administrator.`);
}

/** Makes a user an administrator, or an ordinary user again. Repeating the change is not an error. */
export async function changeAdmin(
  context: Pick<AccountServices, "db" | "keepAdminToken">,
  { user: idOrEmail, isAdmin }: { readonly user: string; readonly isAdmin: boolean },
): Promise<User> {
  const user = await transaction(context.db, async (db) => {
    const found = await findUser(db, idOrEmail);
    if (!isAdmin) {
      await refuseLastAdmin(db, found, (email) => `User ${email} could not be made an ordinary user`);
    } else if (found.disabledAtMs !== null) {
      throw new Refusal(
        "conflict",
        `User ${found.email} could not be made an administrator: the user is disabled. Enable it first.`,
      );
    }
    await setAdmin(db, found.id, isAdmin);
    return { ...found, isAdmin };
  });
  crashPoint("admin-changed");
  await context.keepAdminToken?.();
  return user;
}

/**
 * Enables a user, or admits a user who waits for consent. The user's tokens are accepted again. Enabling an
 * enabled user is not an error.
 */
export async function enableUser(context: Pick<AccountServices, "db">, idOrEmail: string): Promise<User> {
  const user = await findUser(context.db, idOrEmail);
  if (user.disabledAtMs !== null) await setDisabled(context.db, user.id, null);
  crashPoint("user-enabled");
  return { ...user, disabledAtMs: null };
}
