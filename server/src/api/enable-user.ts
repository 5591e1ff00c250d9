import { accountOf } from "#api/account";
import { endpoint } from "#api/route";
import { Account, UserParams } from "#api/user-schemas";
import { enableUser } from "#operations/enable-user";

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
