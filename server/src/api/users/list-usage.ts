import Type from "typebox";
import { nullable } from "#api/http/document/schemas";
import { endpoint } from "#api/http/endpoint";
import { listUsage } from "#operations/users/list-usage";

const limit = nullable(Type.Integer({ description: "Limit of the user. Null without a limit." }));

export const listUsageEndpoint = endpoint({
  operation: "list-usage",
  summary: "List what each user has used and may use",
  access: "admin",
  schema: {
    response: {
      200: Type.Array(
        Type.Object(
          {
            id_: Type.String({ format: "uuid" }),
            email: Type.String(),
            disabled: Type.Boolean(),
            runs: Type.Integer({ description: "Number of runs not deleted." }),
            live_runs: Type.Integer({ description: "Number of queued, pending and running runs." }),
            cpu_ms: Type.Integer({ description: "Processor time in the period of the user's quota." }),
            cpu_limit_ms: limit,
            wall_ms: Type.Integer({ description: "Time from the starts of the runs to their ends." }),
            wall_limit_ms: limit,
            disk_bytes: nullable(
              Type.Integer({ description: "Null: too many files to count, and no limit that requires it." }),
            ),
            disk_limit_bytes: limit,
          },
          { title: "UsageOfUser" },
        ),
      ),
    },
  },
  handle: async (context) =>
    (await listUsage(context)).map(({ user, quota, runs, liveRuns }) => ({
      id_: user.id,
      email: user.email,
      disabled: user.disabledAtMs !== null,
      runs,
      live_runs: liveRuns,
      cpu_ms: quota.cpuMsUsed,
      cpu_limit_ms: quota.cpuMs ?? null,
      wall_ms: quota.wallMsUsed,
      wall_limit_ms: quota.wallMs ?? null,
      disk_bytes: quota.diskBytesUsed ?? null,
      disk_limit_bytes: quota.diskBytes ?? null,
    })),
});
