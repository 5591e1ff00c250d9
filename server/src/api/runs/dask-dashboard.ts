import Type from "typebox";
import { NOTEBOOK_SCOPE } from "#api/http/access/scope";
import { endpoint } from "#api/http/endpoint";
import { WORKFLOW_PARAMS } from "#api/http/reply/workflow-records";
import { notebookUrl } from "#api/notebooks/notebook-url";
import { daskDashboard } from "#operations/runs/dask-dashboard";
import { Refusal } from "#plumbing/errors";

const NO_ORIGIN =
  "This server has no address for dashboards. It opens one with notebooks, so start it without `--jupyter none`, and with a runtime " +
  "for containers or with Dask in its PATH.";

export const getDaskDashboardEndpoint = endpoint({
  operation: "get-dask-dashboard",
  summary: "Show the address of the dashboard of a run's Dask cluster",
  access: "user",
  scope: NOTEBOOK_SCOPE,
  schema: {
    params: WORKFLOW_PARAMS,
    response: {
      200: Type.Object({
        url: Type.String({
          description: "Address to open in a browser, with a secret. It works until the cluster ends.",
        }),
      }),
    },
  },
  async handle(context, request) {
    const { path, secret } = await daskDashboard(context, request.caller, request.params.workflow_id_or_name);
    const { port, url } = context.notebookOrigin();
    if (port === 0 && url === undefined) throw new Refusal("absent", NO_ORIGIN);
    return { url: notebookUrl(context, request, path, secret) };
  },
});
