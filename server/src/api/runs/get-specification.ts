import Type from "typebox";
import { endpoint } from "#api/http/route";
import { WORKFLOW_PARAMS } from "#api/http/workflow-records";
import { getDefinition } from "#operations/runs/get-definition";

export const getSpecificationEndpoint = endpoint({
  method: "GET",
  path: "/api/workflows/{workflow_id_or_name}/specification",
  operation: "get-specification",
  summary: "The specification of a workflow as it was sent, and the parameters of its start",
  access: "user",
  schema: {
    params: WORKFLOW_PARAMS,
    response: {
      200: Type.Object({
        specification: Type.Record(Type.String(), Type.Unknown()),
        parameters: Type.Record(Type.String(), Type.Unknown()),
      }),
    },
  },
  async handle(context, request) {
    const { definition } = await getDefinition(context, request.caller, request.params.workflow_id_or_name);
    return { specification: definition.specification, parameters: { ...definition.inputParameters } };
  },
});
