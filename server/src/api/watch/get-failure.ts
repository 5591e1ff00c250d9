import Type from "typebox";
import { FailureRecord, failureRecord } from "#api/watch/failure-record";
import { endpoint } from "#api/http/route";
import { nullable } from "#api/http/schemas";
import { WORKFLOW_PARAMS } from "#api/http/workflow-records";
import { getFailure } from "#operations/watch/get-failure";

export const getFailureEndpoint = endpoint({
  method: "GET",
  path: "/api/workflows/{workflow_id_or_name}/failure",
  operation: "get-failure",
  summary: "Why a workflow failed: which step, why, and what it printed last; null when it has not failed",
  access: "user",
  schema: {
    params: WORKFLOW_PARAMS,
    response: { 200: Type.Object({ failure: nullable(FailureRecord) }) },
  },
  async handle(context, { params, caller }) {
    const failure = await getFailure(context, caller, params.workflow_id_or_name);
    return { failure: failure ? failureRecord(failure) : null };
  },
});
