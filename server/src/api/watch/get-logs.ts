import Type from "typebox";
import { logsText } from "#api/watch/logs-text";
import { PAGING_QUERY } from "#api/http/reply/page-record";
import { endpoint } from "#api/http/endpoint";
import { namedRun, RUN_NAMED, WORKFLOW_PARAMS } from "#api/http/reply/workflow-records";
import { getLogs } from "#operations/watch/logs/get-logs";

export const getLogsEndpoint = endpoint({
  operation: "get-logs",
  summary: "Show what the engine and the jobs of a workflow have printed so far",
  access: "user",
  schema: {
    params: WORKFLOW_PARAMS,
    querystring: Type.Object({ ...PAGING_QUERY }),
    body: Type.Union([Type.Array(Type.String()), Type.Object({})], {
      description: "Returns only the jobs of the given steps.",
    }),
    response: {
      200: Type.Object({
        ...RUN_NAMED,
        user: Type.String({ format: "uuid" }),
        live_logs_enabled: Type.Boolean(),
        logs: Type.String({
          description: "JSON text: workflow_logs, job_logs, service_logs, engine_specific.",
        }),
      }),
    },
  },
  async handle(context, request) {
    const { params, query, caller, body } = request;
    const steps = Array.isArray(body) && body.length > 0 ? body : undefined;
    const { page = 1, size } = query;
    const { run, engineLog, jobs } = await getLogs(context, caller, {
      address: params.workflow_id_or_name,
      ...(steps && { steps }),
      paging: { page, ...(size !== undefined && { size }) },
    });
    return {
      ...namedRun(run),
      user: run.ownerId,
      live_logs_enabled: true,
      logs: logsText(engineLog, jobs),
    };
  },
});
