import Type from "typebox";
import { contentDisposition } from "#api/http/reply/content-disposition";
import { POLICY_OF_FILES } from "#api/http/reply/file-policy";
import { endpoint } from "#api/http/endpoint";
import { WORKFLOW_PARAMS } from "#api/http/reply/workflow-records";
import { getReport } from "#operations/reports/get-report";

export const getReportEndpoint = endpoint({
  operation: "get-report",
  summary: "Show a report on a workflow: one HTML file that needs no other file and no network",
  access: "user",
  produces: ["text/html"],
  takesSignature: true,
  schema: { params: WORKFLOW_PARAMS, response: { 200: Type.String() } },
  async handle(context, { params, caller }, reply) {
    const { fileName, html } = await getReport(context, caller, params.workflow_id_or_name);
    reply
      .header("content-security-policy", POLICY_OF_FILES)
      .header("content-disposition", contentDisposition("inline", fileName))
      .header("cache-control", "private, no-cache");
    return reply.type("text/html; charset=utf-8").send(html);
  },
});
