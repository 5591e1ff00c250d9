import Type from "typebox";
import { endpoint, uploadOf } from "#api/http/route";
import { fromRequest } from "#api/http/upload-body";
import { SMALL_FILE_MAX_BYTES } from "#api/files/small-files";
import { WORKFLOW_PARAMS } from "#api/http/workflow-records";
import { uploadFiles } from "#operations/files/many-files";
import { readFileRecords } from "#plumbing/file-records";

export const uploadFilesEndpoint = endpoint({
  method: "POST",
  path: "/api/workflows/{workflow_id_or_name}/files",
  operation: "upload-files",
  summary: "Put many small files into a workflow's workspace, in the place of those that are there",
  access: "user",
  refuses: [413],
  upload: true,
  schema: {
    params: WORKFLOW_PARAMS,
    response: {
      200: Type.Object({
        message: Type.String(),
        files: Type.Integer(),
        bytes: Type.Integer(),
      }),
    },
  },
  async handle(context, request) {
    const { params, caller } = request;
    const stored = await fromRequest(uploadOf(request), (body) =>
      uploadFiles(context, caller, {
        address: params.workflow_id_or_name,
        files: readFileRecords(body, SMALL_FILE_MAX_BYTES),
      }),
    );
    return { message: `${stored.files} files have been successfully uploaded.`, ...stored };
  },
});
