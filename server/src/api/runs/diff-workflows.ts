import Type from "typebox";
import { COMPARISON_QUERY, contextLinesOf } from "#api/runs/comparison-records";
import { specificationDiff, workspaceListing } from "#api/runs/diff-texts";
import { longAnswer } from "#api/http/reply/long-answer";
import { endpoint } from "#api/http/endpoint";
import { diffRuns } from "#operations/runs/comparison/diff-runs";

export const diffWorkflowsEndpoint = endpoint({
  operation: "diff-workflows",
  summary: "Compare the specifications and the files of two workflows, as text for people",
  access: "user",
  refuses: [429],
  schema: {
    params: Type.Object({ workflow_id_or_name_a: Type.String(), workflow_id_or_name_b: Type.String() }),
    querystring: Type.Object(COMPARISON_QUERY),
    response: {
      200: Type.Object({
        reana_specification: Type.String({
          description: "JSON text: for each section of the specification, the lines of its unified diff.",
        }),
        workspace_listing: Type.String({
          description: "JSON string: the output that `diff -r` would print for the two workspaces.",
        }),
      }),
    },
  },
  async handle(context, { params, query, caller }, reply) {
    const asked = {
      a: params.workflow_id_or_name_a,
      b: params.workflow_id_or_name_b,
      contextLines: contextLinesOf(query),
    };
    const diff = await longAnswer(context, reply, (signal) => diffRuns(context, caller, asked, signal));
    return {
      reana_specification: JSON.stringify(specificationDiff(diff)),
      workspace_listing: JSON.stringify(workspaceListing(diff, query.brief ?? false)),
    };
  },
});
