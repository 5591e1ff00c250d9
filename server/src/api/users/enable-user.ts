import { accountOf } from "#api/users/account";
import { endpoint } from "#api/http/route";
import { Account, UserParams } from "#api/users/user-schemas";
import { enableUser } from "#operations/users/enable-user";

export const enableUserEndpoint = endpoint({
  method: "POST",
  path: "/api/admin/users/{user}/enable",
  operation: "enable-user",
  summary: "Enable a user again",
  access: "admin",
  worksOnFullDisk: true,
  schema: { params: UserParams, response: { 200: Account } },
  handle: async (context, request) => accountOf(await enableUser(context, request.params.user)),
});
