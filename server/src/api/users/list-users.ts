import Type from "typebox";
import { accountOf } from "#api/users/account";
import { endpoint } from "#api/http/route";
import { Account } from "#api/users/user-schemas";
import { listUsers } from "#operations/users/list-users";

export const listUsersEndpoint = endpoint({
  method: "GET",
  path: "/api/admin/users",
  operation: "list-users",
  summary: "All users, without tokens",
  access: "admin",
  schema: { response: { 200: Type.Array(Account) } },
  handle: async (context) => (await listUsers(context)).map(accountOf),
});
