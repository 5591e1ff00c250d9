import Type from "typebox";
import { endpoint } from "#api/http/endpoint";
import { parseSearch } from "#api/http/request/search-query";
import { Size, sizeRecord, WORKFLOW_PARAMS } from "#api/http/reply/workflow-records";
import { diskUsage } from "#operations/files/disk-usage";

/** Parameters of the request, in the body as REANA's clients send them, or in the query for browsers. */
const ASKED = {
  summarize: Type.Optional(Type.Boolean({ description: "Returns only the total, without the files." })),
  search: Type.Optional(
    Type.String({ description: 'JSON text: `{"name": [patterns], "size": [exact bytes]}`.' }),
  ),
};

export const diskUsageEndpoint = endpoint({
  operation: "disk-usage",
  summary: "Show the disk space that the files of a workspace use",
  access: "user",
  schema: {
    params: WORKFLOW_PARAMS,
    querystring: Type.Object(ASKED),
    body: Type.Object(ASKED),
    response: {
      200: Type.Object({
        workflow_id: Type.String({ format: "uuid" }),
        workflow_name: Type.String({ description: "Without the run number." }),
        user: Type.String({ format: "uuid" }),
        disk_usage_info: Type.Array(
          Type.Object({
            name: Type.String({ description: "Starts with a slash; empty for the workspace itself." }),
            size: Size,
          }),
        ),
      }),
    },
  },
  async handle(context, request) {
    const { params, query, body, caller } = request;
    const asked = { ...query, ...body };
    const { name, size } = parseSearch(asked.search, ["name", "size"]);
    const { run, usage } = await diskUsage(context, caller, {
      address: params.workflow_id_or_name,
      summarize: asked.summarize ?? false,
      ...(name && { names: name }),
      ...(size && { sizes: size }),
    });
    return {
      workflow_id: run.id,
      workflow_name: run.name,
      user: run.ownerId,
      disk_usage_info: usage.map(({ name: at, bytes }) => ({ name: at, size: sizeRecord(bytes) })),
    };
  },
});
