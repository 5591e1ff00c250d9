import Type from "typebox";
import { credentialOf } from "#api/http/access/credentials";
import { change, endpoint } from "#api/http/endpoint";
import { listTokensOf, revokeTokenOf } from "#operations/users/tokens";
import { IssuedToken, issuedToken, LIMITS, Scope, TokenName, UserParams } from "#api/users/user-schemas";
import { Message, nullable, oneOf, toUtcTime, utcTime, utcTimeOrNull } from "#api/http/document/schemas";
import { Refusal } from "#plumbing/errors";
import { issueOwnToken, type ListedToken, listOwnTokens, revokeOwnToken } from "#operations/users/own-tokens";

const TOKEN = {
  id: Type.String({ format: "uuid" }),
  kind: oneOf(["token", "session", "code"], { description: "`session`: a signed-in browser." }),
  name: nullable(Type.String()),
  scope: Scope,
  created: utcTime(),
  expires: nullable(utcTime()),
};

const TokenRecord = Type.Object(
  { ...TOKEN, current: Type.Boolean({ description: "True if the request was made with the token." }) },
  { title: "Token" },
);

function tokenRecord({ id, kind, name, scope, createdAtMs, expiresAtMs }: ListedToken) {
  return {
    id,
    kind: kind === "cookie" ? "session" : kind,
    name,
    scope,
    created: toUtcTime(createdAtMs),
    expires: utcTimeOrNull(expiresAtMs),
  };
}

export const listTokensEndpoint = endpoint({
  operation: "list-tokens",
  summary: "List the caller's active tokens and signed-in browsers, without the secrets",
  access: "user",
  schema: { response: { 200: Type.Array(TokenRecord) } },
  async handle(context, request) {
    const { secret } = credentialOf(request)!;
    const tokens = await listOwnTokens(context, request.caller, secret);
    return tokens.map((token) => ({ ...tokenRecord(token), current: token.isCurrent }));
  },
});

export const issueOwnTokenEndpoint = change({
  operation: "issue-own-token",
  summary: "Issue a named token to the caller: the only time that it is shown",
  access: "user",
  needsBody: true,
  schema: {
    body: Type.Object({ name: TokenName, ...LIMITS }),
    response: { 201: IssuedToken },
  },
  handle(context, request) {
    if (!request.body)
      throw new Refusal("malformed", "No name was given: send JSON with the name of the token.");
    const { name, scope, expires_in_days: days } = request.body;
    const issuer = credentialOf(request)!.secret;
    return issueOwnToken(context, request.caller, { name, scope, days, issuer });
  },
  toWire: issuedToken,
});

export const revokeOwnTokenEndpoint = endpoint({
  operation: "revoke-own-token",
  summary: "Revoke a token of the caller, or sign one of the caller's browsers out",
  access: "user",
  worksOnFullDisk: true,
  schema: {
    params: Type.Object({ token: Type.String({ description: "The id of a token, not the token itself." }) }),
    response: { 200: Message },
  },
  async handle(context, { caller, params }) {
    await revokeOwnToken(context, caller, params.token);
    return { message: "The token was revoked." };
  },
});

export const listTokensOfEndpoint = endpoint({
  operation: "list-tokens-of-user",
  summary: "List the active tokens and signed-in browsers of a user, without the secrets",
  access: "admin",
  schema: {
    params: UserParams,
    response: { 200: Type.Array(Type.Object(TOKEN, { title: "TokenOfUser" })) },
  },
  handle: async (context, { params }) => (await listTokensOf(context, params.user)).map(tokenRecord),
});

export const revokeTokenOfEndpoint = endpoint({
  operation: "revoke-token-of-user",
  summary: "Revoke one token of a user, or sign one of the user's browsers out",
  access: "admin",
  worksOnFullDisk: true,
  schema: {
    params: Type.Object({
      ...UserParams.properties,
      token: Type.String({ description: "The id of a token, not the token itself." }),
    }),
    response: { 200: Message },
  },
  async handle(context, { params }) {
    const { email } = await revokeTokenOf(context, { user: params.user, id: params.token });
    return { message: `The token of ${email} was revoked.` };
  },
});
