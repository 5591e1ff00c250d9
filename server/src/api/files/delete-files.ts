import Type from "typebox";
import { endpoint } from "#api/http/route";
import { WORKFLOW_PARAMS } from "#api/http/workflow-records";
import { deleteFiles } from "#operations/files/delete-files";

export const deleteFilesEndpoint = endpoint({
  method: "DELETE",
  path: "/api/workflows/{workflow_id_or_name}/workspace/{file_name*}",
  operation: "delete-files",
  summary: "Delete a file, a folder, or what a pattern matches",
  access: "user",
  statusOf: { malformed: 403 },
  worksOnFullDisk: true,
  schema: {
    params: Type.Object({
      ...WORKFLOW_PARAMS.properties,
      file_name: Type.String({ description: "Slashes as they are or as %2F." }),
    }),
    response: {
      200: Type.Object({
        deleted: Type.Record(Type.String(), Type.Object({ size: Type.Integer() }), {
          description: "By name; both are empty when nothing matched.",
        }),
        failed: Type.Record(Type.String(), Type.Object({ error: Type.String() })),
      }),
    },
  },
  async handle(context, request) {
    const { params, caller } = request;
    const wanted = { address: params.workflow_id_or_name, fileName: params.file_name };
    const { deleted, failed } = await deleteFiles(context, caller, wanted);
    return {
      deleted: Object.fromEntries([...deleted].map(([name, size]) => [name, { size }])),
      failed: Object.fromEntries([...failed].map(([name, error]) => [name, { error }])),
    };
  },
});
