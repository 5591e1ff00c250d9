import { endpoint } from "#api/http/route";
import { UPLOAD_PARAMS, uploadAddress, UploadRecord, uploadRecord } from "#api/files/upload-records";
import { lookAtUpload } from "#operations/files/upload-in-parts";

export const lookAtUploadEndpoint = endpoint({
  method: "GET",
  path: "/api/workflows/{workflow_id_or_name}/uploads/{upload}",
  operation: "look-at-upload",
  summary: "How far an upload in parts has come",
  access: "user",
  schema: { params: UPLOAD_PARAMS, response: { 200: UploadRecord } },
  async handle(context, request) {
    return uploadRecord(await lookAtUpload(context, request.caller, uploadAddress(request.params)));
  },
});
