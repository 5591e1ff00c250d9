import Type from "typebox";
import { change, endpoint } from "#api/http/endpoint";
import { LIMITS, TokenName, UserParams } from "#api/users/user-schemas";
import { issueToken, revokeToken } from "#operations/users/tokens";
import { Refusal } from "#plumbing/errors";

/** Refuses to give a token. REANA's page requests one after signing in; on this server a user signs in with a token. */
export const requestTokenEndpoint = endpoint({
  operation: "request-token",
  summary: "Request a token: refused, because every caller has one",
  access: "user",
  isOfReanaPage: true,
  schema: {
    response: {
      200: Type.Object({
        reana_token: Type.Object({ status: Type.String(), requested_at: Type.String() }),
      }),
    },
  },
  handle(_context, { caller }) {
    throw new Refusal(
      "conflict",
      `User ${caller.email} has already requested an access token: it came with this request. ` +
        "The administrator issues another one: reprise user token.",
    );
  },
});

export const issueTokenEndpoint = change({
  operation: "issue-token",
  summary: "Issue a new token to a user",
  access: "admin",
  schema: {
    params: UserParams,
    body: Type.Object({
      revoke_others: Type.Optional(Type.Boolean({ description: "Revoke the user's older tokens" })),
      name: Type.Optional(TokenName),
      ...LIMITS,
    }),
    response: {
      201: Type.Object({
        message: Type.String(),
        id_: Type.String({ description: "UUID of the user" }),
        email: Type.String(),
        token: Type.String({ description: "The new token" }),
        revoked: Type.Integer({ description: "The number of older tokens that were revoked" }),
      }),
    },
  },
  handle: async (context, request) => {
    const { revoke_others: revokeOthers = false, name, scope, expires_in_days: days } = request.body ?? {};
    return issueToken(context, { user: request.params.user, revokeOthers, name, limits: { scope, days } });
  },
  toWire: ({ id, email, token, revoked }) => ({
    message: `A token was issued to ${email}.`,
    id_: id,
    email,
    token,
    revoked,
  }),
});

export const revokeTokenEndpoint = endpoint({
  operation: "revoke-token",
  summary: "Revoke all tokens of a user",
  access: "admin",
  worksOnFullDisk: true,
  refuses: [404],
  schema: {
    body: Type.Object({
      user_id: Type.Optional(Type.String({ description: "UUID of the user. Required without `email`." })),
      email: Type.Optional(Type.String()),
    }),
    response: {
      200: Type.Object({
        message: Type.String(),
        status: Type.Integer(),
        id_: Type.String({ format: "uuid" }),
        email: Type.String(),
        reana_token: Type.Object({ status: Type.String() }),
      }),
    },
  },
  async handle(context, request) {
    const { body = {} } = request;
    const { id, email } = await revokeToken(context, { userId: body.user_id, email: body.email });
    request.subject = { action: "revoke-token", email };
    return {
      message: "Access token revoked.",
      status: 200,
      id_: id,
      email,
      reana_token: { status: "revoked" },
    };
  },
});
