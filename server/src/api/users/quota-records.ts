import Type, { type Static } from "typebox";
import { sizeRecord } from "#api/http/workflow-records";
import type { Quota } from "#operations/users/get-quota";
import { humanTime } from "#plumbing/human-time";

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

export function quotaRecord({ cpuMs, diskBytes }: Quota): Static<typeof QuotaRecord> {
  return {
    cpu: { usage: { raw: cpuMs, human_readable: humanTime(cpuMs) } },
    ...(diskBytes !== undefined && { disk: { usage: sizeRecord(diskBytes) } }),
  };
}
