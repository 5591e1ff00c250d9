import type { FastifyRequest } from "fastify";
import Type from "typebox";
import { type ApiContext, endpoint } from "#api/http/endpoint";
import { toUtcTime } from "#api/http/document/schemas";
import { Account, UserParams } from "#api/users/user-schemas";
import { answerProvider } from "#operations/users/answer-provider";
import { changeAdmin, disableUser, enableUser, listUsers } from "#operations/users/accounts";
import { deleteUser } from "#operations/runs/delete-user";

interface AccountOf {
  readonly id: string;
  readonly email: string;
  readonly isAdmin: boolean;
  readonly disabledAtMs: number | null;
  /** Absent after a change, which ends the waiting. */
  readonly isWaiting?: boolean;
  readonly askingProvider?: string | undefined;
  readonly createdAtMs: number;
}

/** Returns a user in the form that the endpoints for the administrator show. */
function accountOf(user: AccountOf) {
  return {
    id_: user.id,
    email: user.email,
    admin: user.isAdmin,
    disabled: user.disabledAtMs !== null,
    waiting: user.isWaiting ?? false,
    asking_provider: user.askingProvider ?? null,
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

export const admitProviderEndpoint = endpoint({
  operation: "admit-provider",
  summary: "Let the person of a provider who asked first open the account of a user that existed before",
  access: "admin",
  worksOnFullDisk: true,
  schema: { params: UserParams, response: { 200: Account } },
  handle: (context, request) => answer(context, request, true),
});

export const refuseProviderEndpoint = endpoint({
  operation: "refuse-provider",
  summary: "Refuse the people of providers who ask to open the account of a user",
  access: "admin",
  worksOnFullDisk: true,
  schema: { params: UserParams, response: { 200: Account } },
  handle: (context, request) => answer(context, request, false),
});

async function answer(
  context: ApiContext,
  request: Pick<FastifyRequest, "subject"> & { readonly params: { readonly user: string } },
  isAdmitted: boolean,
) {
  const { user, provider } = await answerProvider(context, { user: request.params.user, isAdmitted });
  request.subject = { email: user.email, provider };
  return accountOf(user);
}

export const makeAdminEndpoint = endpoint({
  operation: "make-administrator",
  summary: "Make a user an administrator",
  access: "admin",
  schema: { params: UserParams, response: { 200: Account } },
  handle: async (context, { params }) =>
    accountOf(await changeAdmin(context, { user: params.user, isAdmin: true })),
});

export const endAdminEndpoint = endpoint({
  operation: "end-administrator",
  summary: "Make an administrator an ordinary user again, unless no other one is left",
  access: "admin",
  worksOnFullDisk: true,
  schema: { params: UserParams, response: { 200: Account } },
  handle: async (context, { params }) =>
    accountOf(await changeAdmin(context, { user: params.user, isAdmin: false })),
});

export const deleteUserEndpoint = endpoint({
  operation: "delete-user",
  summary:
    "Delete a user. The runs are kept for the day on which the user is added again, or deleted as well",
  access: "admin",
  worksOnFullDisk: true,
  schema: {
    params: UserParams,
    querystring: Type.Object({
      with_data: Type.Optional(
        Type.Boolean({ description: "Delete all runs of the user with their files: 20 every ten seconds." }),
      ),
      stop: Type.Optional(
        Type.Boolean({ description: "Stop live runs. Otherwise a user with live runs is not deleted." }),
      ),
    }),
    response: {
      200: Type.Object({
        message: Type.String(),
        id_: Type.String({ format: "uuid" }),
        email: Type.String(),
        runs: Type.Integer({ description: "Number of runs to keep or to delete." }),
        stopped: Type.Integer({ description: "Number of live runs being stopped." }),
      }),
    },
  },
  async handle(context, request) {
    const { with_data: withData = false, stop: stopsRuns = false } = request.query;
    const deleted = await deleteUser(context, { user: request.params.user, withData, stopsRuns });
    request.subject = { email: deleted.email, data: withData ? "deleted" : "kept" };
    const { id, email, runs, stopped } = deleted;
    return { message: `${email} was deleted.`, id_: id, email, runs, stopped };
  },
});
