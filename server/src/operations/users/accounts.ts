import type { Operations } from "#operations/context";
import { crashPoint } from "#plumbing/crash-points";
import { Refusal } from "#plumbing/errors";
import { isUuid } from "#plumbing/ids";
import type { Connection } from "#store/database/database";
import { findUsers, maybeUser, maybeUserByEmail, setDisabled, type User } from "#store/users/users";

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

/** Lists all users for the administrator, without tokens, in the order of creation. */
export async function listUsers(context: Pick<Operations, "db">): Promise<User[]> {
  const users = await findUsers(context.db, {});
  return users.map(({ sealedToken: _, ...user }) => user);
}

/** Disables a user, whose tokens are refused from the next request on. Live runs continue. Repeating it is no error. */
export async function disableUser(
  context: Pick<Operations, "db" | "clock">,
  idOrEmail: string,
): Promise<User> {
  const user = await findUser(context.db, idOrEmail);
  if (user.isAdmin) {
    throw new Refusal(
      "conflict",
      `User ${user.email} could not be disabled: this server would have no administrator.`,
    );
  }
  if (user.disabledAtMs !== null) return user;
  const disabledAtMs = context.clock.now();
  await setDisabled(context.db, user.id, disabledAtMs);
  crashPoint("user-disabled");
  return { ...user, disabledAtMs };
}

/** Enables a user: the user's tokens are accepted again. Repeating it is no error. */
export async function enableUser(context: Pick<Operations, "db">, idOrEmail: string): Promise<User> {
  const user = await findUser(context.db, idOrEmail);
  if (user.disabledAtMs !== null) await setDisabled(context.db, user.id, null);
  crashPoint("user-enabled");
  return { ...user, disabledAtMs: null };
}
