import Type from "typebox";
import { endpoint } from "#api/http/endpoint";
import { nullable, oneOf } from "#api/http/document/schemas";
import { WORKFLOW_PARAMS } from "#api/http/reply/workflow-records";
import { ACTIONS, listActions } from "#operations/runs/list/list-actions";

export const listActionsEndpoint = endpoint({
  operation: "list-actions",
  summary: "List the actions on a workflow: which are possible now, and why the others are not",
  access: "user",
  schema: {
    params: WORKFLOW_PARAMS,
    response: {
      200: Type.Object({
        actions: Type.Array(
          Type.Object({
            action: oneOf(ACTIONS),
            possible: Type.Boolean(),
            reason: nullable(
              Type.String({
                description: "Reason for a refusal now. Null if the action is possible.",
              }),
            ),
          }),
        ),
      }),
    },
  },
  async handle(context, { params, caller }) {
    const actions = await listActions(context, caller, params.workflow_id_or_name);
    return {
      actions: actions.map(({ name, reason }) => ({
        action: name,
        possible: reason === undefined,
        reason: reason ?? null,
      })),
    };
  },
});
