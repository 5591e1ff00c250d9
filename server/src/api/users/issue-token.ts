import Type from "typebox";
import { keeping } from "#api/http/once";
import { endpoint } from "#api/http/route";
import { UserParams } from "#api/users/user-schemas";
import { type IssuedToken, issueToken } from "#operations/users/issue-token";

export const issueTokenEndpoint = endpoint({
  method: "POST",
  path: "/api/admin/users/{user}/tokens",
  operation: "issue-token",
  summary: "Issue a new token to a user",
  access: "admin",
  schema: {
    params: UserParams,
    body: Type.Object({
      revoke_others: Type.Optional(Type.Boolean({ description: "Take the user's older tokens out of use" })),
    }),
    response: {
      201: Type.Object({
        message: Type.String(),
        id_: Type.String({ description: "UUID of the user" }),
        email: Type.String(),
        token: Type.String({ description: "The new token" }),
        revoked: Type.Integer({ description: "How many older tokens were taken out of use" }),
      }),
    },
  },
  handle: async (context, request) => {
    const revokeOthers = request.body?.revoke_others ?? false;
    const keep = keeping(context, request, 201, issuedRecord);
    return issuedRecord(await issueToken(context, { user: request.params.user, revokeOthers, keep }));
  },
});

function issuedRecord({ id, email, token, revoked }: IssuedToken) {
  return { message: `A token was issued to ${email}.`, id_: id, email, token, revoked };
}
