import type { KnownUser, UserAdmin } from "#cli/users/user-admin";
import { byMachineUser } from "#app/audit";
import type { AuditLog } from "#plumbing/audit-log";
import type { Operations } from "#operations/operations";
import { answerProvider } from "#operations/users/answer-provider";
import { createUser } from "#operations/users/create-user";
import { changeAdmin, disableUser, enableUser, listUsers } from "#operations/users/accounts";
import { deleteUser } from "#operations/runs/delete-user";
import { findUsers } from "#operations/users/find-users";
import { issueToken } from "#operations/users/tokens";
import type { User } from "#store/users/users";

/** User commands on the data folder itself. If a server is live, commands use HTTP instead. */
export function userAdmin(
  context: Pick<Operations, "db" | "clock" | "random" | "tokenSeal">,
  audit: AuditLog,
  close: () => Promise<void>,
): UserAdmin {
  const record = (action: string, email: string, more: Readonly<Record<string, string>> = {}) =>
    audit.write(byMachineUser(action, { email, ...more }));
  return {
    close,
    async add(email, token) {
      const { id, accessToken } = await createUser(context, { email, token });
      record("create-user", email);
      return { id, email, token: accessToken };
    },
    list: async () => (await listUsers(context)).map(knownUser),
    async tokens() {
      const users = await findUsers(context, { id: undefined, email: undefined, token: undefined });
      audit.write(byMachineUser("find-users", {}));
      return new Map(users.map(({ id, accessToken }) => [id, accessToken]));
    },
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
    async answerProvider(user, isAdmitted) {
      const { user: answered, provider } = await answerProvider(context, { user, isAdmitted });
      record(isAdmitted ? "admit-provider" : "refuse-provider", answered.email, { provider });
      return knownUser(answered);
    },
    async setAdmin(user, isAdmin) {
      const changed = knownUser(await changeAdmin(context, { user, isAdmin }));
      record(isAdmin ? "make-administrator" : "end-administrator", changed.email);
      return changed;
    },
    async remove(user, deletion) {
      const removed = await deleteUser(context, { user, ...deletion });
      record("delete-user", removed.email, { data: deletion.withData ? "deleted" : "kept" });
      return removed;
    },
    async enable(user) {
      const enabled = knownUser(await enableUser(context, user));
      record("enable-user", enabled.email);
      return enabled;
    },
  };
}

/** A change ends the waiting for consent. */
function knownUser(user: User & Partial<Pick<KnownUser, "isWaiting" | "askingProvider">>): KnownUser {
  const { id, email, isAdmin, isWaiting = false, askingProvider } = user;
  return { id, email, isAdmin, isDisabled: user.disabledAtMs !== null, isWaiting, askingProvider };
}
