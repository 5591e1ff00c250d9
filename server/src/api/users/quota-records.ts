import Type, { type Static } from "typebox";
import { nullable, oneOf, toUtcTime, utcTime } from "#api/http/document/schemas";
import { sizeRecord } from "#api/http/reply/workflow-records";
import type { Quota } from "#operations/quota/quotas";
import { humanAmount, healthOf, type Resource } from "#workflow/people/quota";

const Amount = Type.Object({ raw: Type.Number(), human_readable: Type.String() });

const Usage = Type.Object(
  {
    usage: Amount,
    limit: Type.Optional(Amount),
    health: Type.Optional(
      oneOf(["healthy", "warning", "critical"], {
        description: "`warning` from 80 % of the limit on, `critical` from 100 % on. Absent without a limit.",
      }),
    ),
  },
  { title: "ResourceUsage" },
);

const Period = {
  quota_period_months: nullable(
    Type.Integer({
      description:
        "The number of months for which processor time is counted. Null: since the user was added, or another resource.",
    }),
  ),
  quota_period_start_at: nullable(utcTime("Start of the first period.")),
};

/** Quota of a user. REANA leaves out the limit and the health of a resource without a limit. */
export const QuotaRecord = Type.Object(
  {
    cpu: Type.Object({ ...Usage.properties, ...Period }, { title: "ProcessorTimeUsage" }),
    disk: Type.Optional(Usage),
    wall: Type.Optional(Usage),
  },
  { title: "Quota" },
);

export function quotaRecord(quota: Quota): Static<typeof QuotaRecord> {
  const { cpuMsUsed, diskBytesUsed, wallMsUsed, cpuMs, diskBytes, wallMs } = quota;
  return {
    cpu: { ...usageRecord("cpu", cpuMsUsed, cpuMs), ...periodRecord(quota.period) },
    ...(diskBytesUsed !== undefined && { disk: usageRecord("disk", diskBytesUsed, diskBytes) }),
    // REANA has no limit of wall clock. Only users with a wall-clock limit see the field.
    ...(wallMs !== undefined && { wall: usageRecord("wall", wallMsUsed, wallMs) }),
  };
}

function usageRecord(resource: Resource, used: number, limit: number | undefined): Static<typeof Usage> {
  const usage = amountRecord(resource, used);
  if (limit === undefined) return { usage };
  return { usage, limit: amountRecord(resource, limit), health: healthOf({ used, limit }) };
}

function amountRecord(resource: Resource, amount: number): Static<typeof Amount> {
  return resource === "disk"
    ? sizeRecord(amount)
    : { raw: amount, human_readable: humanAmount(resource, amount) };
}

function periodRecord(period: Quota["period"]) {
  return {
    quota_period_months: period?.months ?? null,
    quota_period_start_at: period ? toUtcTime(period.firstStartMs) : null,
  };
}

export const ResourceQuotaRecord = Type.Object(
  {
    message: Type.String(),
    limit: Type.Integer({ description: "The limit, or -1 without a limit." }),
    usage: Type.Integer(),
    ...Period,
  },
  { title: "ResourceQuota" },
);

const NO_LIMIT = -1;

/** Returns the quota of one resource, in REANA's words for administrators. */
export function resourceQuotaRecord(
  quota: Quota,
  resource: Resource,
  usage: number,
): Static<typeof ResourceQuotaRecord> {
  const limit = { cpu: quota.cpuMs, disk: quota.diskBytes, wall: quota.wallMs }[resource];
  const message = limit === undefined ? "Resource limit is not set." : "OK";
  return {
    message,
    limit: limit ?? NO_LIMIT,
    usage,
    ...periodRecord(resource === "cpu" ? quota.period : undefined),
  };
}
