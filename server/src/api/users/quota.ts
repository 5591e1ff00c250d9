import Type from "typebox";
import { endpoint } from "#api/http/endpoint";
import { oneOf } from "#api/http/document/schemas";
import { getQuotaOf } from "#operations/users/get-quota";
import { Refusal } from "#plumbing/errors";

const NO_LIMIT = -1;

/** Quota of a user. REANA requires a secret of the cluster in a header; here the administrator's token is enough. */
export const getQuotaEndpoint = endpoint({
  operation: "get-quota",
  summary: "Show what a user has used",
  access: "admin",
  refuses: [404, 413],
  needs: ["resource_type"],
  schema: {
    querystring: Type.Object({
      resource_type: Type.Optional(
        oneOf(["cpu", "disk"], { description: "Milliseconds of processor time, or bytes." }),
      ),
      user_id: Type.Optional(Type.String({ description: "This, email or user_access_token." })),
      email: Type.Optional(Type.String()),
      user_access_token: Type.Optional(Type.String()),
    }),
    response: {
      200: Type.Object({
        message: Type.String(),
        limit: Type.Integer({ description: "-1: none." }),
        usage: Type.Integer(),
      }),
    },
  },
  async handle(context, { query }) {
    if (!query.resource_type) throw new Refusal("malformed", "Resource type is required.");
    const wanted = { userId: query.user_id, email: query.email, token: query.user_access_token };
    const { cpuMs, diskBytes } = await getQuotaOf(context, wanted);
    const usage = query.resource_type === "cpu" ? cpuMs : diskBytes;
    if (usage === undefined) throw tooMany();
    return { message: "Resource limit is not set.", limit: NO_LIMIT, usage };
  },
});

function tooMany(): Refusal {
  return new Refusal(
    "too-large",
    "The user has too many files to count during a request. Use du on the server.",
  );
}

const Reply = Type.Object({ message: Type.String(), limit: Type.Integer(), usage: Type.Integer() });
const Body = Type.Record(Type.String(), Type.Unknown());

/** Refuses to set a quota as REANA does: accepting a limit that is not enforced would be worse. */
export const setQuotaEndpoint = endpoint({
  operation: "set-quota",
  summary: "Limit what a user may use: not on this server",
  access: "admin",
  refuses: [501],
  schema: { body: Body, response: { 200: Reply } },
  handle: () => noLimits("The limit could not be set"),
});

export const setQuotaPeriodEndpoint = endpoint({
  operation: "set-quota-period",
  summary: "Set the period of a limit: not on this server",
  access: "admin",
  refuses: [501],
  schema: { body: Body, response: { 200: Reply } },
  handle: () => noLimits("The period could not be set"),
});

function noLimits(what: string): never {
  throw new Refusal("not-implemented", `${what}: this server does not limit what its users use in total.`);
}
