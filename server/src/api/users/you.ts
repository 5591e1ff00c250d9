import Type from "typebox";
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
        reana_token: Type.Object({ status: Type.String() }),
        quota: QuotaRecord,
      }),
    },
  },
  handle: async (context, { caller }) => ({
    id_: caller.id,
    email: caller.email,
    // A user has no other name than the address, and REANA's clients expect texts.
    full_name: caller.email,
    username: caller.email,
    reana_server_version: context.version,
    reana_token: { status: "active" },
    quota: quotaRecord(await context.quotas.of(caller.id)),
  }),
});
