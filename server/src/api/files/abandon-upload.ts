import { endpoint } from "#api/http/route";
import { Message } from "#api/http/schemas";
import { UPLOAD_PARAMS, uploadAddress } from "#api/files/upload-records";
import { abandonUpload } from "#operations/files/upload-in-parts";

export const abandonUploadEndpoint = endpoint({
  method: "DELETE",
  path: "/api/workflows/{workflow_id_or_name}/uploads/{upload}",
  operation: "abandon-upload",
  summary: "Forget an upload and what has come of it",
  access: "user",
  worksOnFullDisk: true,
  schema: { params: UPLOAD_PARAMS, response: { 200: Message } },
  async handle(context, request) {
    await abandonUpload(context, request.caller, uploadAddress(request.params));
    return { message: "The upload was abandoned." };
  },
});
