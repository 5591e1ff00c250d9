import Type from "typebox";
import { endpoint } from "#api/http/route";
import { UploadRecord, uploadRecord } from "#api/files/upload-records";
import { WORKFLOW_PARAMS } from "#api/http/workflow-records";
import { beginUpload } from "#operations/files/upload-in-parts";
import { Refusal } from "#plumbing/errors";

export const beginUploadEndpoint = endpoint({
  method: "POST",
  path: "/api/workflows/{workflow_id_or_name}/uploads",
  operation: "begin-upload",
  summary: "Announce a file that comes in parts; or find out how far it has come",
  access: "user",
  needsBody: true,
  schema: {
    params: WORKFLOW_PARAMS,
    body: Type.Object({
      file_name: Type.String({ minLength: 1, description: "Its path inside the workspace." }),
      size: Type.Integer({ minimum: 0 }),
      sha256: Type.String({
        pattern: "^[0-9a-fA-F]{64}$",
        description: "The checksum of the whole file, in hexadecimal digits.",
      }),
      executable: Type.Optional(Type.Boolean({ description: "Sets the execute bit of the file." })),
    }),
    response: { 201: UploadRecord },
  },
  async handle(context, request) {
    const { params, body, caller } = request;
    if (!body)
      throw new Refusal("malformed", "What is to be uploaded was not said: send file_name, size and sha256.");
    const { file_name: fileName, size: bytes, sha256, executable: isExecutable = false } = body;
    const announced = { address: params.workflow_id_or_name, fileName, bytes, sha256, isExecutable };
    return uploadRecord(await beginUpload(context, caller, announced));
  },
});
