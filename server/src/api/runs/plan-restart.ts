import Type from "typebox";
import { RestartPlanRecord, restartPlanRecord } from "#api/runs/restart-plan-records";
import { endpoint } from "#api/http/route";
import { START_VALUES, startValues } from "#api/runs/start-values";
import { WORKFLOW_PARAMS } from "#api/http/workflow-records";
import { planRestart } from "#operations/runs/plan-restart";

export const planRestartEndpoint = endpoint({
  method: "POST",
  path: "/api/workflows/{workflow_id_or_name}/restart-plan",
  operation: "plan-restart",
  summary: "What a restart or rerun with that body would take over, and why not the rest; nothing is changed",
  access: "user",
  worksOnFullDisk: true,
  refuses: [501],
  schema: {
    params: WORKFLOW_PARAMS,
    body: Type.Object({
      ...START_VALUES,
      rerun: Type.Optional(
        Type.Boolean({ description: "Of a run with files of its own, which replaces nothing." }),
      ),
    }),
    response: { 200: RestartPlanRecord },
  },
  async handle(context, { params, caller, body = {} }) {
    const input = { address: params.workflow_id_or_name, ...startValues(body) };
    const verb = body.rerun ? "rerun" : "restarted";
    return restartPlanRecord(await planRestart(context, caller, input, verb));
  },
});
