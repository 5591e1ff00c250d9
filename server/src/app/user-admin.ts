import type { KnownUser, UserAdmin } from "#cli/users/user-admin";
import type { Operations } from "#operations/context";
import { createUser } from "#operations/users/create-user";
import { disableUser, enableUser, listUsers } from "#operations/users/accounts";
import { issueToken } from "#operations/users/tokens";
import type { User } from "#store/users/users";

/** User commands on the data folder itself. Beside a live server they go over HTTP. */
export function userAdmin(
  context: Pick<Operations, "db" | "clock" | "random" | "tokenSeal">,
  close: () => Promise<void>,
): UserAdmin {
  return {
    close,
    async add(email, token) {
      const { id, accessToken } = await createUser(context, { email, token });
      return { id, email, token: accessToken };
    },
    list: async () => (await listUsers(context)).map(knownUser),
    async issueToken(user, { revokeOld }) {
      const { id, email, token } = await issueToken(context, { user, revokeOthers: revokeOld });
      return { id, email, token };
    },
    disable: async (user) => knownUser(await disableUser(context, user)),
    enable: async (user) => knownUser(await enableUser(context, user)),
  };
}

function knownUser(user: User): KnownUser {
  return { id: user.id, email: user.email, isAdmin: user.isAdmin, isDisabled: user.disabledAtMs !== null };
}
