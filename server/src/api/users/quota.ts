import { timingSafeEqual } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import Type, { type Static } from "typebox";
import { nullable, oneOf, utcTime } from "#api/http/document/schemas";
import { type ApiContext, endpoint } from "#api/http/endpoint";
import { hashOf } from "#api/service/metrics";
import { ResourceQuotaRecord, resourceQuotaRecord } from "#api/users/quota-records";
import type { Quota } from "#operations/quota/quotas";
import { getQuotaOf, type QuotaOwner } from "#operations/users/get-quota";
import { setLimit, setPeriod } from "#operations/users/set-quota";
import { Refusal } from "#plumbing/errors";
import { type Resource, RESOURCES } from "#workflow/people/quota";

/** Quotas of users, as REANA's administrators set them: with the header of a secret, or with the administrator's token. */

const SECRET_HEADER = "x-quota-management-secret";

function maySetQuotas(
  { quotaSecretHash }: ApiContext,
  _token: string | undefined,
  headers: IncomingHttpHeaders,
): boolean {
  const given = headers[SECRET_HEADER];
  if (given === undefined) return false;
  if (!quotaSecretHash) throw new Refusal("forbidden", "Quota management endpoint is not configured.");
  if (typeof given === "string" && timingSafeEqual(hashOf(given), quotaSecretHash)) return true;
  throw new Refusal("not-signed-in", "Unauthorized");
}

const RESOURCE = oneOf(RESOURCES, {
  description: "Milliseconds of processor time, bytes, or milliseconds of wall clock (ours: REANA has none).",
});

/** The common part of the endpoints that change a quota. */
const CHANGE = { access: "admin", admits: maySetQuotas, refuses: [401, 404], needsBody: true } as const;

const OWNER = {
  user_id: Type.Optional(
    Type.String({ description: "UUID of the user. Required without `email` and `user_access_token`." }),
  ),
  email: Type.Optional(Type.String()),
  user_access_token: Type.Optional(Type.String()),
};

function ownerIn(given: Partial<Record<keyof typeof OWNER, string>>): QuotaOwner {
  return { userId: given.user_id, email: given.email, token: given.user_access_token };
}

/** Returns whom a change concerns, for the audit log, which holds no token. */
function subjectOf({ email, user_id: user }: { email?: string; user_id?: string }): Record<string, string> {
  return { ...(email !== undefined && { email }), ...(user !== undefined && { user }) };
}

export const getQuotaEndpoint = endpoint({
  operation: "get-quota",
  summary: "Show what a user has used, and may use",
  access: "admin",
  admits: maySetQuotas,
  refuses: [401, 404, 413],
  needs: ["resource_type"],
  schema: {
    querystring: Type.Object({ resource_type: Type.Optional(RESOURCE), ...OWNER }),
    response: { 200: ResourceQuotaRecord },
  },
  async handle(context, { query }) {
    const { resource_type: resource } = query;
    if (!resource) throw noResource();
    return replyWith(await getQuotaOf(context, ownerIn(query)), resource);
  },
});

export const setQuotaEndpoint = endpoint({
  operation: "set-quota",
  summary: "Limit what a user may use",
  ...CHANGE,
  schema: {
    body: Type.Object({
      resource_type: Type.Optional(RESOURCE),
      limit: Type.Optional(
        nullable(
          Type.Integer({
            minimum: 0,
            description: "0: no limit. Null: the server's default for all users.",
          }),
        ),
      ),
      ...OWNER,
    }),
    response: { 200: ResourceQuotaRecord },
  },
  async handle(context, request) {
    const { body = {} } = request;
    const { resource_type: resource, limit } = body;
    if (!resource) throw noResource();
    if (limit === undefined) throw new Refusal("malformed", "Limit is required.");
    request.subject = {
      ...subjectOf(body),
      quota: resource,
      limit: limit === null ? "default" : String(limit),
    };
    return replyWith(await setLimit(context, ownerIn(body), { resource, limit }), resource);
  },
});

export const setQuotaPeriodEndpoint = endpoint({
  operation: "set-quota-period",
  summary: "Set for how many months the processor time of a user is counted",
  ...CHANGE,
  schema: {
    body: Type.Object({
      resource_type: Type.Optional(RESOURCE),
      quota_period_months: Type.Optional(
        nullable(Type.Integer({ description: "Null: processor time is counted since the user was added." })),
      ),
      quota_period_start_at: Type.Optional(
        nullable(utcTime("Start of the first period, of which the day counts. Absent: today.")),
      ),
      ...OWNER,
    }),
    response: { 200: ResourceQuotaRecord },
  },
  async handle(context, request) {
    const { body = {} } = request;
    if (body.resource_type !== "cpu") {
      throw new Refusal(
        "malformed",
        "Only the quota of processor time has a period: send resource_type cpu.",
      );
    }
    const { quota_period_months: months = null, quota_period_start_at: start } = body;
    const startMs = start ? Date.parse(start) : null;
    request.subject = { ...subjectOf(body), quota: "cpu", months: String(months), start: start ?? "today" };
    return replyWith(await setPeriod(context, ownerIn(body), { months, startMs }), "cpu");
  },
});

function noResource(): Refusal {
  return new Refusal("malformed", "Resource type is required.");
}

function replyWith(quota: Quota, resource: Resource): Static<typeof ResourceQuotaRecord> {
  const usage = { cpu: quota.cpuMsUsed, disk: quota.diskBytesUsed, wall: quota.wallMsUsed }[resource];
  if (usage === undefined) throw tooMany();
  return resourceQuotaRecord(quota, resource, usage);
}

function tooMany(): Refusal {
  return new Refusal(
    "too-large",
    "The user has too many files to count during a request. Use du on the server, or set a limit.",
  );
}
