import type { components, RepriseClient } from "reprise-sdk";
import type { KnownUser, UserAdmin } from "#cli/users/user-admin";

/** Implements the user commands through the API of a running server, with the administrator's token. */
export function usersOverHttp(client: RepriseClient): UserAdmin {
  const of = (user: string) => ({ params: { path: { user } } });
  return {
    async add(email, userToken) {
      const query = { email, ...(userToken !== undefined && { user_token: userToken }) };
      const { data } = await client.POST("/api/users", { params: { query } });
      return { id: data!.id_, email: data!.email, token: data!.access_token };
    },
    async list() {
      const { data } = await client.GET("/api/admin/users");
      return data!.map(knownUser);
    },
    async tokens() {
      const { data } = await client.GET("/api/users");
      return new Map(data!.map((user) => [user.id_, user.access_token]));
    },
    async issueToken(user, { revokeOld }) {
      const { data } = await client.POST("/api/admin/users/{user}/tokens", {
        ...of(user),
        body: { revoke_others: revokeOld },
      });
      return { id: data!.id_, email: data!.email, token: data!.token };
    },
    async disable(user) {
      const { data } = await client.POST("/api/admin/users/{user}/disable", of(user));
      return knownUser(data!);
    },
    async enable(user) {
      const { data } = await client.POST("/api/admin/users/{user}/enable", of(user));
      return knownUser(data!);
    },
    async answerProvider(user, isAdmitted) {
      const path = "/api/admin/users/{user}/provider";
      const { data } = await (isAdmitted ? client.PUT(path, of(user)) : client.DELETE(path, of(user)));
      return knownUser(data!);
    },
    async setAdmin(user, isAdmin) {
      const path = "/api/admin/users/{user}/admin";
      const { data } = await (isAdmin ? client.PUT(path, of(user)) : client.DELETE(path, of(user)));
      return knownUser(data!);
    },
    async remove(user, { withData, stopsRuns }) {
      const params = { path: { user }, query: { with_data: withData, stop: stopsRuns } };
      const { data } = await client.DELETE("/api/admin/users/{user}", { params });
      return { id: data!.id_, email: data!.email, runs: data!.runs, stopped: data!.stopped };
    },
    close: async () => undefined,
  };
}

function knownUser(account: components["schemas"]["Account"]): KnownUser {
  return {
    id: account.id_,
    email: account.email,
    isAdmin: account.admin,
    isDisabled: account.disabled,
    isWaiting: account.waiting,
    askingProvider: account.asking_provider ?? undefined,
  };
}
