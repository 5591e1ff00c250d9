import Type from "typebox";
import { RestartPlanRecord, restartPlanRecord } from "#api/runs/restart-plan-records";
import { endpoint } from "#api/http/route";
import { WORKFLOW_PARAMS } from "#api/http/workflow-records";
import { planRestart } from "#operations/runs/plan-restart";

export const getRestartPlanEndpoint = endpoint({
  method: "GET",
  path: "/api/workflows/{workflow_id_or_name}/restart-plan",
  operation: "get-restart-plan",
  summary: "What a restart with nothing changed would take over, and why not the rest",
  access: "user",
  refuses: [409],
  schema: {
    params: WORKFLOW_PARAMS,
    querystring: Type.Object({
      fresh: Type.Optional(Type.Boolean()),
      from_step: Type.Optional(Type.String()),
    }),
    response: { 200: RestartPlanRecord },
  },
  async handle(context, { params, query, caller }) {
    const planned = await planRestart(context, caller, {
      address: params.workflow_id_or_name,
      parameters: {},
      options: {},
      document: undefined,
      fresh: query.fresh ?? false,
      fromStep: query.from_step ?? null,
    });
    return restartPlanRecord(planned);
  },
});
