import type { Operations } from "#operations/context";
import { findUser } from "#operations/users/find-user";
import { crashPoint } from "#plumbing/crash-points";
import { setDisabled, type User } from "#store/users";

/** Enables a user: the user's tokens are accepted again. Repeating it is no error. */
export async function enableUser(context: Pick<Operations, "db">, idOrEmail: string): Promise<User> {
  const user = await findUser(context.db, idOrEmail);
  if (user.disabledAtMs !== null) await setDisabled(context.db, user.id, null);
  crashPoint("user-enabled");
  return { ...user, disabledAtMs: null };
}
