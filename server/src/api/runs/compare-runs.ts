import Type from "typebox";
import {
  COMPARISON_QUERY,
  ComparisonRecord,
  comparisonRecord,
  contextLinesOf,
} from "#api/runs/comparison-records";
import { longAnswer } from "#api/http/reply/long-answer";
import { endpoint } from "#api/http/endpoint";
import { WORKFLOW_PARAMS } from "#api/http/reply/workflow-records";
import { compareRuns } from "#operations/runs/comparison/compare-runs";

export const compareRunsEndpoint = endpoint({
  operation: "compare-runs",
  summary: "Compare two workflows: specification, parameters, steps with times and usage, files",
  access: "user",
  refuses: [429],
  schema: {
    params: Type.Object({
      ...WORKFLOW_PARAMS.properties,
      other: Type.String({ description: "Workflow to compare with." }),
    }),
    querystring: Type.Object({
      ...COMPARISON_QUERY,
      files: Type.Optional(
        Type.Boolean({ description: "False leaves out the files, which makes the response fast." }),
      ),
    }),
    response: { 200: ComparisonRecord },
  },
  async handle(context, { params, query, caller }, reply) {
    const asked = {
      a: params.workflow_id_or_name,
      b: params.other,
      contextLines: contextLinesOf(query),
      wantsFiles: query.files ?? true,
    };
    const comparison = await longAnswer(context, reply, (signal) =>
      compareRuns(context, caller, asked, signal),
    );
    return comparisonRecord(comparison);
  },
});
