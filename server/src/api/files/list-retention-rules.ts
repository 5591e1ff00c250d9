import Type from "typebox";
import { endpoint } from "#api/http/endpoint";
import { nullable, oneOf } from "#api/http/document/schemas";
import { namedRun, RUN_NAMED, timeOrNull, WORKFLOW_PARAMS } from "#api/http/reply/workflow-records";
import { listRetentionRules } from "#operations/files/retention";

export const listRetentionRulesEndpoint = endpoint({
  operation: "list-retention-rules",
  summary: "List the retention rules of a workflow",
  access: "user",
  schema: {
    params: WORKFLOW_PARAMS,
    response: {
      200: Type.Object({
        ...RUN_NAMED,
        retention_rules: Type.Array(
          Type.Object({
            id: Type.String({ format: "uuid" }),
            workspace_files: Type.String({ description: "A pattern. Declared inputs and outputs are kept." }),
            retention_days: Type.Integer({ description: "Counted from the end of the run." }),
            apply_on: nullable(Type.String({ description: "Null until the run has ended." })),
            status: oneOf(["created", "active", "pending", "applied", "inactive"]),
          }),
        ),
      }),
    },
  },
  async handle(context, { caller, params }) {
    const { run, rules } = await listRetentionRules(context, caller, params.workflow_id_or_name);
    return {
      ...namedRun(run),
      retention_rules: rules.map(({ id, pattern, days, applyOnMs, status }) => ({
        id,
        workspace_files: pattern,
        retention_days: days,
        apply_on: timeOrNull(applyOnMs),
        status,
      })),
    };
  },
});
