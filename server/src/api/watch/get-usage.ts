import Type from "typebox";
import { endpoint } from "#api/http/endpoint";
import { nullable } from "#api/http/document/schemas";
import { WORKFLOW_PARAMS } from "#api/http/reply/workflow-records";
import { getUsage } from "#operations/watch/get-usage";

export const getUsageEndpoint = endpoint({
  operation: "get-usage",
  summary:
    "Show what a workflow has used so far: time, processor time, jobs, and the size of a small workspace",
  access: "user",
  schema: {
    params: WORKFLOW_PARAMS,
    response: {
      200: Type.Object({
        queued_ms: nullable(
          Type.Integer({ description: "Time in the queue; null if the run was not started." }),
        ),
        wall_ms: nullable(
          Type.Integer({
            description: "From its start to its end, or to now; null if it has not started.",
          }),
        ),
        cpu_ms: Type.Integer({
          description: "Processor time of the jobs that have ended, as far as known.",
        }),
        jobs: Type.Object(
          {
            total: Type.Integer(),
            created: Type.Integer({ description: "Jobs that wait for capacity." }),
            running: Type.Integer(),
            finished: Type.Integer(),
            failed: Type.Integer(),
            stopped: Type.Integer(),
          },
          { description: "The jobs that have been submitted so far, by status." },
        ),
        workspace_bytes: nullable(
          Type.Integer({
            description:
              "Null for a workspace of more than 1000 files, whose size is counted only on request (`disk_usage`).",
          }),
        ),
      }),
    },
  },
  async handle(context, { params, caller }) {
    const usage = await getUsage(context, caller, params.workflow_id_or_name);
    return {
      queued_ms: usage.queuedMs ?? null,
      wall_ms: usage.wallMs ?? null,
      cpu_ms: usage.cpuMs,
      jobs: usage.jobs,
      workspace_bytes: usage.workspaceBytes ?? null,
    };
  },
});
