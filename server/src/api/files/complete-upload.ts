import { endpoint } from "#api/http/route";
import { Message } from "#api/http/schemas";
import { UPLOAD_PARAMS, uploadAddress } from "#api/files/upload-records";
import { completeUpload } from "#operations/files/upload-in-parts";

export const completeUploadEndpoint = endpoint({
  method: "POST",
  path: "/api/workflows/{workflow_id_or_name}/uploads/{upload}/complete",
  operation: "complete-upload",
  summary: "Put an upload whose parts have all come into the workspace, in the place of a file that is there",
  access: "user",
  schema: { params: UPLOAD_PARAMS, response: { 200: Message } },
  async handle(context, request) {
    const { name } = await completeUpload(context, request.caller, uploadAddress(request.params));
    return { message: `${name} has been successfully uploaded.` };
  },
});
