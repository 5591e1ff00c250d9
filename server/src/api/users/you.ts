import Type, { type Static } from "typebox";
import { endpoint } from "#api/http/endpoint";
import { sizeRecord } from "#api/http/reply/workflow-records";
import { getQuota, type Quota } from "#operations/users/get-quota";
import { humanTime } from "#plumbing/text/human-time";

const Usage = Type.Object(
  {
    usage: Type.Object({ raw: Type.Number(), human_readable: Type.String() }),
  },
  { title: "ResourceUsage" },
);

/** Quota without limit and health, which REANA leaves out if there is no limit. This server has none. */
export const QuotaRecord = Type.Object(
  {
    cpu: Usage,
    disk: Type.Optional(Usage),
  },
  { title: "Quota" },
);

function quotaRecord({ cpuMs, diskBytes }: Quota): Static<typeof QuotaRecord> {
  return {
    cpu: { usage: { raw: cpuMs, human_readable: humanTime(cpuMs) } },
    ...(diskBytes !== undefined && { disk: { usage: sizeRecord(diskBytes) } }),
  };
}

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
    quota: quotaRecord(await getQuota(context, caller.id)),
  }),
});
