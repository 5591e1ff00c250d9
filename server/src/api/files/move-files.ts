import Type from "typebox";
import { endpoint } from "#api/http/route";
import { WORKFLOW_PARAMS } from "#api/http/workflow-records";
import { fullNameOf } from "#operations/full-name";
import { moveFiles } from "#operations/files/move-files";

export const moveFilesEndpoint = endpoint({
  method: "PUT",
  path: "/api/workflows/move_files/{workflow_id_or_name}",
  operation: "move-files",
  summary: "Move files inside a workflow's workspace",
  access: "user",
  needs: ["source", "target"],
  schema: {
    params: WORKFLOW_PARAMS,
    querystring: Type.Object({
      source: Type.Optional(Type.String({ description: "A file, a folder, or a pattern." })),
      target: Type.Optional(Type.String({ description: "A folder that is there, or a new name." })),
    }),
    response: {
      200: Type.Object({
        message: Type.String(),
        workflow_id: Type.String({ format: "uuid" }),
        workflow_name: Type.String(),
      }),
    },
  },
  async handle(context, request) {
    const { params, query, caller } = request;
    const { source, target } = query;
    const workflow = await moveFiles(context, caller, {
      address: params.workflow_id_or_name,
      source,
      target,
    });
    return {
      message: `File(s) ${source} were successfully moved`,
      workflow_id: workflow.id,
      workflow_name: fullNameOf(workflow),
    };
  },
});
