import { Refusal } from "#plumbing/errors";
import { isUuid } from "#plumbing/ids";
import type { Connection } from "#store/database";
import { maybeUser, maybeUserByEmail, type User } from "#store/users";

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
