import type { FastifyRequest } from "fastify";
import Type from "typebox";
import { credentialOf, HIDDEN_TOKEN } from "#api/http/access/credentials";
import { endpoint } from "#api/http/endpoint";
import { QuotaRecord, quotaRecord } from "#api/users/quota-records";

export const getYouEndpoint = endpoint({
  operation: "get-you",
  summary: "Show the account of the caller",
  access: "user",
  schema: {
    response: {
      200: Type.Object({
        id_: Type.String({ format: "uuid" }),
        email: Type.String(),
        full_name: Type.String(),
        username: Type.String(),
        reana_server_version: Type.String(),
        reana_token: Type.Object({
          status: Type.String(),
          value: Type.Optional(
            Type.String({
              description:
                "The access token that the request was made with. Absent for the session of a browser, which must not learn a token. REANA's web page gets a text in its place.",
            }),
          ),
        }),
        quota: QuotaRecord,
      }),
    },
  },
  handle: async (context, request) => ({
    id_: request.caller.id,
    email: request.caller.email,
    // A user has no other name than the address, and REANA's clients expect texts.
    full_name: request.caller.email,
    username: request.caller.email,
    reana_server_version: context.version,
    reana_token: { status: "active", ...tokenOf(request) },
    quota: quotaRecord(await context.quotas.of(request.caller.id)),
  }),
});

/** Returns the token of the request. REANA's web page takes a user without one for a user who must request access. */
function tokenOf(request: FastifyRequest): { readonly value?: string } {
  const credential = credentialOf(request);
  if (credential?.kind === "cookie") return { value: HIDDEN_TOKEN };
  return credential?.kind === "token" ? { value: credential.secret } : {};
}
