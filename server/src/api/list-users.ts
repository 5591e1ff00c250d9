import Type from "typebox";
import { accountOf } from "#api/account";
import { endpoint } from "#api/route";
import { Account } from "#api/user-schemas";
import { listUsers } from "#operations/list-users";

export const listUsersEndpoint = endpoint({
  method: "GET",
  path: "/api/admin/users",
  operation: "list-users",
  summary: "All users, without tokens",
  access: "admin",
  schema: { response: { 200: Type.Array(Account) } },
  handle: async (context) => (await listUsers(context)).map(accountOf),
});
