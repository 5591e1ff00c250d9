import Type from "typebox";
import { QuotaRecord, quotaRecord } from "#api/users/quota-records";
import { endpoint } from "#api/http/route";
import { getQuota } from "#operations/users/get-quota";

export const getYouEndpoint = endpoint({
  method: "GET",
  path: "/api/you",
  operation: "get-you",
  summary: "Who is asking",
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
    quota: quotaRecord(await getQuota(context, caller.id)),
  }),
});
