import Type from "typebox";
import { endpoint, uploadOf } from "#api/http/route";
import { fromRequest } from "#api/http/upload-body";
import { UPLOAD_PARAMS, uploadAddress, UploadRecord, uploadRecord } from "#api/files/upload-records";
import { takePart } from "#operations/files/upload-in-parts";

export const takePartEndpoint = endpoint({
  method: "PUT",
  path: "/api/workflows/{workflow_id_or_name}/uploads/{upload}",
  operation: "take-part",
  summary: "Send a part of an upload; what has come already is passed over",
  access: "user",
  upload: true,
  schema: {
    params: UPLOAD_PARAMS,
    querystring: Type.Object({
      offset: Type.Integer({ minimum: 0, description: "Where in the file the part begins." }),
    }),
    response: { 200: UploadRecord },
  },
  async handle(context, request) {
    const { params, query, caller } = request;
    const state = await takePart(context, caller, {
      ...uploadAddress(params),
      offset: query.offset,
      receive: (write) => fromRequest(uploadOf(request), write),
    });
    return uploadRecord(state);
  },
});
