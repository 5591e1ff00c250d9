import { accountOf } from "#api/users/account";
import { endpoint } from "#api/http/route";
import { Account, UserParams } from "#api/users/user-schemas";
import { disableUser } from "#operations/users/disable-user";

export const disableUserEndpoint = endpoint({
  method: "POST",
  path: "/api/admin/users/{user}/disable",
  operation: "disable-user",
  summary: "Disable a user: its tokens open nothing any more; its runs go on",
  access: "admin",
  worksOnFullDisk: true,
  schema: { params: UserParams, response: { 200: Account } },
  handle: async (context, request) => accountOf(await disableUser(context, request.params.user)),
});
