import Type from "typebox";
import { endpoint } from "#api/http/endpoint";
import { longAnswer } from "#api/http/reply/long-answer";
import { WORKFLOW_PARAMS } from "#api/http/reply/workflow-records";
import { RestartPlanRecord, restartPlanRecord } from "#api/runs/restart-plan-records";
import { START_VALUES, startValues } from "#api/runs/start-values";
import { planRestart } from "#operations/runs/start/plan-restart";

export const getRestartPlanEndpoint = endpoint({
  operation: "get-restart-plan",
  summary: "Show what a restart without changes would reuse, and why it would run the rest",
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
  async handle(context, { params, query, caller }, reply) {
    const input = {
      address: params.workflow_id_or_name,
      parameters: {},
      options: {},
      document: undefined,
      fresh: query.fresh ?? false,
      fromStep: query.from_step ?? null,
    };
    return restartPlanRecord(
      await longAnswer(context, reply, (signal) => planRestart(context, caller, input, { signal })),
    );
  },
});

export const planRestartEndpoint = endpoint({
  operation: "plan-restart",
  summary:
    "Show what a restart or rerun with this body would reuse, and why it would run the rest, without changing " +
    "anything",
  access: "user",
  worksOnFullDisk: true,
  changesNothing: true,
  refuses: [409, 501],
  schema: {
    params: WORKFLOW_PARAMS,
    body: Type.Object({
      ...START_VALUES,
      rerun: Type.Optional(
        Type.Boolean({ description: "True for a rerun. A rerun has separate files and replaces no files." }),
      ),
    }),
    response: { 200: RestartPlanRecord },
  },
  async handle(context, { params, caller, body = {} }, reply) {
    const input = { address: params.workflow_id_or_name, ...startValues(body) };
    const verb = body.rerun ? "rerun" : "restarted";
    return restartPlanRecord(
      await longAnswer(context, reply, (signal) => planRestart(context, caller, input, { verb, signal })),
    );
  },
});
