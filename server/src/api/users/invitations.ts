import Type from "typebox";
import { change, endpoint } from "#api/http/endpoint";
import { toUtcTime, utcTime } from "#api/http/document/schemas";
import { IssuedToken, issuedToken, LIMITS, TokenName } from "#api/users/user-schemas";
import { inviteUser, redeemCode } from "#operations/users/invitations";
import { Refusal } from "#plumbing/errors";

export const inviteUserEndpoint = change({
  operation: "invite-user",
  summary: "Invite a user, new or known, with a code for the first sign-in: once, within a week",
  access: "admin",
  needsBody: true,
  schema: {
    body: Type.Object({ email: Type.String() }),
    response: {
      201: Type.Object({
        id_: Type.String({ format: "uuid", description: "UUID of the user." }),
        email: Type.String(),
        code: Type.String(),
        path: Type.String({ description: "Path of the page to open, with the code." }),
        expires: utcTime(),
      }),
    },
  },
  async handle(context, request) {
    if (!request.body)
      throw new Refusal("malformed", "No user was named: send JSON with the email of a user.");
    request.subject = { email: request.body.email };
    return inviteUser(context, request.body.email);
  },
  toWire: ({ id, email, code, expiresAtMs }) => ({
    id_: id,
    email,
    code,
    path: `/sign-in#${code}`,
    expires: toUtcTime(expiresAtMs),
  }),
});

export const redeemCodeEndpoint = endpoint({
  operation: "redeem-code",
  summary: "Issue a named token for a sign-in code, which is used up: the only time that the token is shown",
  access: "anyone",
  hidesBody: true,
  needsBody: true,
  refuses: [403],
  schema: {
    body: Type.Object({
      code: Type.String({ description: "A code of an invitation, or of `POST /api/session/codes`." }),
      name: TokenName,
      ...LIMITS,
    }),
    response: { 201: IssuedToken },
  },
  async handle(context, { body }, reply) {
    if (!body)
      throw new Refusal("malformed", "No code was given: send JSON with the code, and a name for the token.");
    const { code, name, scope, expires_in_days: days } = body;
    const issued = await redeemCode(context, { code, name, scope, days });
    reply.header("cache-control", "no-store");
    return issuedToken(issued);
  },
});
