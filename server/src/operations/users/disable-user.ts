import type { Operations } from "#operations/context";
import { findUser } from "#operations/users/find-user";
import { crashPoint } from "#plumbing/crash-points";
import { Refusal } from "#plumbing/errors";
import { setDisabled, type User } from "#store/users";

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
