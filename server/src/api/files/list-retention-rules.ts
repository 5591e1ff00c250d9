import Type from "typebox";
import { change, endpoint } from "#api/http/endpoint";
import { nullable, oneOf } from "#api/http/document/schemas";
import { namedRun, RUN_NAMED, timeOrNull, WORKFLOW_PARAMS } from "#api/http/reply/workflow-records";
import { EXTENSION_DAYS_MAX, type ExtendedRules, extendRetention } from "#operations/files/extend-retention";
import { listRetentionRules } from "#operations/files/retention";

const RetentionRules = Type.Object({
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
});

export const listRetentionRulesEndpoint = endpoint({
  operation: "list-retention-rules",
  summary: "List the retention rules of a workflow",
  access: "user",
  schema: { params: WORKFLOW_PARAMS, response: { 200: RetentionRules } },
  async handle(context, { caller, params }) {
    return rulesRecord(await listRetentionRules(context, caller, params.workflow_id_or_name));
  },
});

export const extendRetentionEndpoint = change({
  operation: "extend-retention",
  summary: "Add days to the retention rules of a workflow that are still to be applied",
  access: "user",
  needsBody: true,
  refuses: [409],
  schema: {
    params: WORKFLOW_PARAMS,
    body: Type.Object({
      extend_days: Type.Integer({
        minimum: 1,
        maximum: EXTENSION_DAYS_MAX,
        description: "The administrator names the workflow of another user by its id.",
      }),
    }),
    response: { 200: RetentionRules },
  },
  handle(context, { caller, params, body }) {
    const address = params.workflow_id_or_name;
    return extendRetention(context, caller, { address, days: body!.extend_days });
  },
  toWire: rulesRecord,
});

function rulesRecord({ run, rules }: ExtendedRules) {
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
}
