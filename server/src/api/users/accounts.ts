import Type from "typebox";
import { endpoint } from "#api/http/endpoint";
import { toUtcTime } from "#api/http/document/schemas";
import { Account, UserParams } from "#api/users/user-schemas";
import { disableUser, enableUser, listUsers } from "#operations/users/accounts";

interface AccountOf {
  readonly id: string;
  readonly email: string;
  readonly isAdmin: boolean;
  readonly disabledAtMs: number | null;
  readonly createdAtMs: number;
}

/** Returns a user in the form that the endpoints for the administrator show. */
function accountOf(user: AccountOf) {
  return {
    id_: user.id,
    email: user.email,
    admin: user.isAdmin,
    disabled: user.disabledAtMs !== null,
    created: toUtcTime(user.createdAtMs),
  };
}

export const listUsersEndpoint = endpoint({
  operation: "list-users",
  summary: "List all users, without tokens",
  access: "admin",
  schema: { response: { 200: Type.Array(Account) } },
  handle: async (context) => (await listUsers(context)).map(accountOf),
});

export const disableUserEndpoint = endpoint({
  operation: "disable-user",
  summary: "Disable a user: the tokens are no longer accepted, and runs continue",
  access: "admin",
  worksOnFullDisk: true,
  schema: { params: UserParams, response: { 200: Account } },
  handle: async (context, request) => accountOf(await disableUser(context, request.params.user)),
});

export const enableUserEndpoint = endpoint({
  operation: "enable-user",
  summary: "Enable a user again",
  access: "admin",
  worksOnFullDisk: true,
  schema: { params: UserParams, response: { 200: Account } },
  handle: async (context, request) => accountOf(await enableUser(context, request.params.user)),
});
