import Type from "typebox";
import { endpoint } from "#api/http/endpoint";
import { oneOf, recordOf } from "#api/http/document/schemas";
import { WORKFLOW_PARAMS } from "#api/http/reply/workflow-records";
import { fullNameOf } from "#operations/full-name";
import { getDefinition } from "#operations/runs/create/definition";
import { LANGUAGES } from "#workflow/language";

export const getSpecificationEndpoint = endpoint({
  operation: "get-specification",
  summary: "Show the specification of a workflow as it was sent, and the parameters of its start",
  access: "user",
  schema: {
    params: WORKFLOW_PARAMS,
    response: {
      200: Type.Object({
        specification: recordOf(Type.Unknown()),
        parameters: recordOf(Type.Unknown()),
      }),
    },
  },
  async handle(context, request) {
    const { definition } = await getDefinition(context, request.caller, request.params.workflow_id_or_name);
    return { specification: definition.specification, parameters: { ...definition.inputParameters } };
  },
});

export const getParametersEndpoint = endpoint({
  operation: "get-parameters",
  summary: "Show the input parameters that a workflow declares",
  access: "user",
  schema: {
    params: WORKFLOW_PARAMS,
    response: {
      200: Type.Object({
        id: Type.String({ format: "uuid" }),
        name: Type.String(),
        type: oneOf(LANGUAGES),
        parameters: recordOf(Type.Unknown()),
      }),
    },
  },
  async handle(context, request) {
    const { run, definition } = await getDefinition(
      context,
      request.caller,
      request.params.workflow_id_or_name,
    );
    return {
      id: run.id,
      name: fullNameOf(run),
      type: run.language,
      parameters: { ...definition.specification.inputs?.parameters },
    };
  },
});
