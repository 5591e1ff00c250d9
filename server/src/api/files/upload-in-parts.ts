import Type, { type Static } from "typebox";
import { endpoint, uploadOf } from "#api/http/endpoint";
import { Message, toUtcTime, utcTime } from "#api/http/document/schemas";
import { fromRequest } from "#api/http/request/upload-body";
import { WORKFLOW_PARAMS } from "#api/http/reply/workflow-records";
import {
  abandonUpload,
  beginUpload,
  completeUpload,
  getUpload,
  uploadPart,
  type UploadAddress,
  type UploadState,
} from "#operations/files/upload-in-parts";
import { Refusal } from "#plumbing/errors";
import { isUuid } from "#plumbing/ids";

const UPLOAD_PARAMS = Type.Object({
  ...WORKFLOW_PARAMS.properties,
  upload: Type.String({ description: "Id of the upload, as `upload_id` in paths." }),
});

export const UploadRecord = Type.Object(
  {
    upload_id: Type.String({ format: "uuid" }),
    file_name: Type.String(),
    size: Type.Integer(),
    offset: Type.Integer({ description: "Bytes received: the offset of the next part." }),
    expires_at: utcTime("When the upload expires unless another part arrives."),
  },
  { title: "Upload" },
);

function uploadRecord({ id, name, bytes, offset, expiresAtMs }: UploadState): Static<typeof UploadRecord> {
  return { upload_id: id, file_name: name, size: bytes, offset, expires_at: toUtcTime(expiresAtMs) };
}

/** Returns the address of an upload. An id becomes part of a path on the disk, so only UUIDs are accepted. */
function uploadAddress(params: Static<typeof UPLOAD_PARAMS>): UploadAddress {
  const { workflow_id_or_name: address, upload } = params;
  if (isUuid(upload)) return { address, upload: upload.toLowerCase() };
  throw new Refusal("absent", "There is no such upload: an upload_id is a UUID.");
}

export const beginUploadEndpoint = endpoint({
  operation: "begin-upload",
  summary: "Begin or resume the upload of a file in parts",
  access: "user",
  needsBody: true,
  schema: {
    params: WORKFLOW_PARAMS,
    body: Type.Object({
      file_name: Type.String({ minLength: 1, description: "Path of the file inside the workspace." }),
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
    if (!body) throw new Refusal("malformed", "Missing fields: send `file_name`, `size` and `sha256`.");
    const { file_name: fileName, size: bytes, sha256, executable: isExecutable = false } = body;
    const announced = { address: params.workflow_id_or_name, fileName, bytes, sha256, isExecutable };
    return uploadRecord(await beginUpload(context, caller, announced));
  },
});

export const getUploadEndpoint = endpoint({
  operation: "get-upload",
  summary: "Show the progress of an upload in parts",
  access: "user",
  schema: { params: UPLOAD_PARAMS, response: { 200: UploadRecord } },
  async handle(context, request) {
    return uploadRecord(await getUpload(context, request.caller, uploadAddress(request.params)));
  },
});

export const uploadPartEndpoint = endpoint({
  operation: "upload-part",
  summary: "Send a part of an upload; bytes already received are skipped",
  access: "user",
  upload: true,
  schema: {
    params: UPLOAD_PARAMS,
    querystring: Type.Object({
      offset: Type.Integer({ minimum: 0, description: "Offset of the part in the file." }),
    }),
    response: { 200: UploadRecord },
  },
  async handle(context, request) {
    const { params, query, caller } = request;
    const state = await uploadPart(context, caller, {
      ...uploadAddress(params),
      offset: query.offset,
      receive: (write) => fromRequest(uploadOf(request), write),
    });
    return uploadRecord(state);
  },
});

export const completeUploadEndpoint = endpoint({
  operation: "complete-upload",
  summary: "Complete an upload in parts: put the file into the workspace, replacing one of the same name",
  access: "user",
  schema: { params: UPLOAD_PARAMS, response: { 200: Message } },
  async handle(context, request) {
    const { name } = await completeUpload(context, request.caller, uploadAddress(request.params));
    return { message: `${name} has been successfully uploaded.` };
  },
});

export const abandonUploadEndpoint = endpoint({
  operation: "abandon-upload",
  summary: "Abandon an upload and discard the parts received",
  access: "user",
  worksOnFullDisk: true,
  schema: { params: UPLOAD_PARAMS, response: { 200: Message } },
  async handle(context, request) {
    await abandonUpload(context, request.caller, uploadAddress(request.params));
    return { message: "The upload was abandoned." };
  },
});
