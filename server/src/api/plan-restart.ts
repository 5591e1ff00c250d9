import { RestartPlanRecord, restartPlanRecord } from "#api/restart-plan-records";
import { endpoint } from "#api/route";
import { StartValues, startValues } from "#api/start-values";
import { WORKFLOW_PARAMS } from "#api/workflow-records";
import { planRestart } from "#operations/plan-restart";

export const planRestartEndpoint = endpoint({
  method: "POST",
  path: "/api/workflows/{workflow_id_or_name}/restart-plan",
  operation: "plan-restart",
  summary: "What a restart with that body would take over, and why not the rest; nothing is changed",
  access: "user",
  worksOnFullDisk: true,
  refuses: [501],
  schema: {
    params: WORKFLOW_PARAMS,
    body: StartValues,
    response: { 200: RestartPlanRecord },
  },
  async handle(context, { params, caller, body = {} }) {
    const input = { address: params.workflow_id_or_name, ...startValues(body) };
    return restartPlanRecord(await planRestart(context, caller, input));
  },
});
