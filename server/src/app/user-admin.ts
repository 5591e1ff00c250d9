import type { KnownUser, UserAdmin } from "#cli/users/user-admin";
import { byMachineUser } from "#app/audit";
import type { AuditLog } from "#plumbing/audit-log";
import type { Operations } from "#operations/context";
import { createUser } from "#operations/users/create-user";
import { disableUser, enableUser, listUsers } from "#operations/users/accounts";
import { issueToken } from "#operations/users/tokens";
import type { User } from "#store/users/users";

/** User commands on the data folder itself. Beside a live server they go over HTTP. */
export function userAdmin(
  context: Pick<Operations, "db" | "clock" | "random" | "tokenSeal">,
  audit: AuditLog,
  close: () => Promise<void>,
): UserAdmin {
  const record = (action: string, email: string) => audit.write(byMachineUser(action, { email }));
  return {
    close,
    async add(email, token) {
      const { id, accessToken } = await createUser(context, { email, token });
      record("create-user", email);
      return { id, email, token: accessToken };
    },
    list: async () => (await listUsers(context)).map(knownUser),
    async issueToken(user, { revokeOld }) {
      const { id, email, token } = await issueToken(context, { user, revokeOthers: revokeOld });
      record("issue-token", email);
      return { id, email, token };
    },
    async disable(user) {
      const disabled = knownUser(await disableUser(context, user));
      record("disable-user", disabled.email);
      return disabled;
    },
    async enable(user) {
      const enabled = knownUser(await enableUser(context, user));
      record("enable-user", enabled.email);
      return enabled;
    },
  };
}

function knownUser(user: User): KnownUser {
  return { id: user.id, email: user.email, isAdmin: user.isAdmin, isDisabled: user.disabledAtMs !== null };
}
