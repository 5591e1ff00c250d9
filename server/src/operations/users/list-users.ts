import type { Operations } from "#operations/context";
import { findUsers, type User } from "#store/users";

/** Lists all users for the administrator, without tokens, in the order of creation. */
export async function listUsers(context: Pick<Operations, "db">): Promise<User[]> {
  const users = await findUsers(context.db, {});
  return users.map(({ sealedToken: _, ...user }) => user);
}
